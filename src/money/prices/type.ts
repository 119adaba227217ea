/** A resource type as the price function sees it: which members bear a price, and how a bill is drawn from them. */
import type { FamilyName } from '../../kernel/families.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { Bill } from './bill.ts';

/** The member that says where it will be; what a comparison of locations changes. */
export type Place = 'location' | 'region' | 'site' | 'site_preferences';

export interface PricedType {
  readonly family: FamilyName;
  readonly place: Place | null;
  readonly configuration: TObject;
  /** Members of the create body that bear no price: they may be present and are not looked at. */
  readonly ignored: readonly string[] | 'any';
  readonly usage: readonly string[];
  /** Members of which a change to one drops the other, as a plan and a size of one's own. */
  readonly alternatives: readonly (readonly [string, string])[];
  draw(configuration: unknown, bill: Bill): void;
}

interface Definition<S extends TObject> {
  readonly family: FamilyName;
  readonly place: Place | null;
  readonly configuration: S;
  readonly ignored?: readonly string[] | 'any';
  readonly usage?: readonly string[];
  readonly alternatives?: readonly (readonly [string, string])[];
  draw(configuration: Static<S>, bill: Bill): void;
}

export function pricedType<S extends TObject>(definition: Definition<S>): PricedType {
  return {
    ignored: [],
    usage: [],
    alternatives: [],
    ...definition,
    // `price` checks the configuration against this very shape before it draws, so the type holds.
    draw: (configuration, bill) => definition.draw(configuration as Static<S>, bill),
  };
}

/** Members that name, label or guard a resource, whatever it is. */
export const IDENTITY = ['name', 'description', 'labels', 'protection'] as const;
