/**
 * Defines a resource type for the price function: the members that affect its price, and how its lines are
 * computed.
 */
import type { FamilyName } from '../../kernel/families.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { Sales } from '../../provider/sale.ts';
import type { Bill } from './bill.ts';
import type { UsageKey } from './usage.ts';

/** The member of the configuration that contains the location. A comparison of locations changes it. */
export type Place = 'location' | 'region' | 'site' | 'site_preferences';

export interface PricedType {
  readonly family: FamilyName;
  readonly place: Place | null;
  readonly configuration: TObject;
  /** Members of the create body that do not affect the price. They may be present and are not validated. */
  readonly ignored: readonly string[] | 'any';
  readonly usage: readonly UsageKey[];
  /**
   * Pairs of members of which only one may be set, such as a plan and a custom size. Setting one removes the
   * other.
   */
  readonly alternatives: readonly (readonly [string, string])[];
  /** The row of the price list for a type that never costs anything. The catalogue has no entry for this SKU. */
  readonly free: { readonly sku: string; readonly name: string } | null;
  /** The SKUs that `draw` may charge, with the places where they are sold: the provider must price them. */
  readonly sales: Sales;
  draw(configuration: unknown, bill: Bill): void;
}

/** By resource type, such as `vm`. */
export type PricedTypes = Readonly<Record<string, PricedType>>;

interface Definition<S extends TObject> {
  readonly family: FamilyName;
  readonly place: Place | null;
  readonly configuration: S;
  readonly ignored?: readonly string[] | 'any';
  readonly usage?: readonly UsageKey[];
  readonly alternatives?: readonly (readonly [string, string])[];
  readonly free?: PricedType['free'];
  readonly sales: Sales;
  draw(configuration: Static<S>, bill: Bill): void;
}

export function pricedType<S extends TObject>(definition: Definition<S>): PricedType {
  return {
    ignored: [],
    usage: [],
    alternatives: [],
    free: null,
    ...definition,
    // `price` validates the configuration against this schema before it calls `draw`, so the cast is safe.
    draw: (configuration, bill) => definition.draw(configuration as Static<S>, bill),
  };
}

/** Members that every resource type has and that never affect the price. */
export const IDENTITY = ['name', 'description', 'labels', 'protection'] as const;
