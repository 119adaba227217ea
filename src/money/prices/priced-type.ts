/** A priced type says which members of a create body bear a price, and how a bill is drawn from them. */
import type { FamilyName } from '../../kernel/families.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { Bill } from './bill.ts';

/** The member that says where the resource will be. A comparison of locations changes this member. */
export type Place = 'location' | 'region' | 'site' | 'site_preferences';

export interface PricedType {
  readonly family: FamilyName;
  readonly place: Place | null;
  readonly configuration: TObject;
  /** Members of the create body that bear no price: a configuration may have them, and `price()` skips them. */
  readonly ignored: readonly string[] | 'any';
  readonly usage: readonly string[];
  /** Pairs of members that exclude each other, such as a plan and a custom size: a change to one drops the other. */
  readonly alternatives: readonly (readonly [string, string])[];
  /** The row of the price list for a type that never costs anything. The catalogue has no entry for this SKU. */
  readonly free: { readonly sku: string; readonly name: string } | null;
  draw(configuration: unknown, bill: Bill): void;
}

/** By resource type, such as `vm`. */
export type PricedTypes = Readonly<Record<string, PricedType>>;

interface Definition<S extends TObject> {
  readonly family: FamilyName;
  readonly place: Place | null;
  readonly configuration: S;
  readonly ignored?: readonly string[] | 'any';
  readonly usage?: readonly string[];
  readonly alternatives?: readonly (readonly [string, string])[];
  readonly free?: PricedType['free'];
  draw(configuration: Static<S>, bill: Bill): void;
}

export function pricedType<S extends TObject>(definition: Definition<S>): PricedType {
  return {
    ignored: [],
    usage: [],
    alternatives: [],
    free: null,
    ...definition,
    // `price()` checks the configuration against this very shape before it draws, so the type holds.
    draw: (configuration, bill) => definition.draw(configuration as Static<S>, bill),
  };
}

/** Members that name, label or protect a resource. They bear no price in any type. */
export const IDENTITY = ['name', 'description', 'labels', 'protection'] as const;
