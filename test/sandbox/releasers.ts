import { afterEach } from '@jest/globals';

/** Closes what a test opened, last first, however the test ends. */
export function releasers(): <Resource extends { close(): Promise<void> }>(resource: Resource) => Resource {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const resource of open.splice(0).reverse()) await resource.close();
  });
  return (resource) => {
    open.push(resource);
    return resource;
  };
}
