/**
 * The tariff is all that `price()` needs to know of the provider: the catalogue with the rates, and the priced types,
 * which say what each resource type is charged for. Each family declares the types it sells. The tariff is put together
 * once at start and passed in through `Services`.
 */
import type { Family } from '../../kernel/registry.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { PricedType, PricedTypes } from './priced-type.ts';

declare module '../../kernel/registry.ts' {
  interface Family {
    /** The resource types of the family that an estimate can price. */
    readonly pricedTypes?: PricedTypes;
  }
}

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

/** Throws where two families price the same resource type, or a family prices a type of another one. */
export function tariffOf(
  catalogue: Catalogue,
  families: readonly Pick<Family, 'name' | 'pricedTypes'>[],
): Tariff {
  const types = new Map<string, PricedType>();
  for (const { name, pricedTypes = {} } of families) {
    for (const [resourceType, type] of Object.entries(pricedTypes)) {
      if (type.family !== name)
        throw new Error(`${resourceType} is priced for the family ${type.family} but stands in ${name}.`);
      if (types.has(resourceType)) throw new Error(`Two families price the resource type ${resourceType}.`);
      types.set(resourceType, type);
    }
  }
  return { catalogue, types };
}
