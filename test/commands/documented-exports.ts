// What the page on the platform's client imports from 'sluice'.
export { createPlatformClient } from '../../src/platform/create-platform-client.js';
export { createEdgeToken } from '../../src/protocol/edge-token.js';
