/**
 * What other layers bring to the provider's file, which this layer must not import. They are put together once, in
 * `src/configuration.ts`.
 */
import type { Family } from '../kernel/registry.ts';
import type { Draft } from './draft.ts';
import type { Report } from './fault.ts';
import type { PortSettings } from './port-settings.ts';
import type { SoldType } from './sale.ts';

declare module '../kernel/registry.ts' {
  interface Family {
    /** Checks that what the catalogue offers of this family can be bought. Called if the family is on sale. */
    checkCatalogue?(draft: Draft, report: Report, now: Date): void;
  }
}

export interface ProviderParts {
  /** The families that have endpoints. Only their products can be bought, so only these have to be priced. */
  readonly families: readonly Pick<Family, 'name' | 'checkCatalogue'>[];
  /** Of all families, also of those without endpoints. */
  readonly soldTypes: readonly SoldType[];
  readonly ports: readonly PortSettings[];
}

/** Whether the family is on sale: it has endpoints, and `catalogue.products` lists it. */
export function isOnSale(draft: Draft, { families }: ProviderParts, family: string): boolean {
  if (!families.some(({ name }) => name === family)) return false;
  const listed = draft.names('products', 'family');
  // A list with an invalid shape has its own fault.
  return listed === null || listed.has(family);
}
