/** Names of the headers that carry the maker's brand, in lower case as Node has them. */
export interface HeaderNames {
  digest: string;
  timestamp: string;
}

/**
 * The signature headers of a brand (contract: "Naming convention").
 * `Svc` gives `x-svc-content-sha256` and `x-svc-timestamp`.
 */
export function headerNames(brand: string): HeaderNames {
  const prefix = `x-${brand.toLowerCase()}`;
  return { digest: `${prefix}-content-sha256`, timestamp: `${prefix}-timestamp` };
}
