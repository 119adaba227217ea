/**
 * The tariff is all that `price()` needs to know of the provider: the catalogue with the rates, and the priced types,
 * which say what each resource type is charged for. It is assembled once at start and passed in through `Services`.
 */
import type { Catalogue } from '../../provider/catalogue.ts';
import type { PricedType } from './type.ts';

declare module '../../kernel/services.ts' {
  interface Services {
    readonly tariff: Tariff;
  }
}

export interface Tariff {
  readonly catalogue: Catalogue;
  /** By resource type, such as `vm`. */
  readonly types: ReadonlyMap<string, PricedType>;
}
