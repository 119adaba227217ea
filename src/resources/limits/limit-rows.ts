/** The limits of an account: the provider's value or the account's own, and how much of it is used. */
import type { RawBuilder } from 'kysely';
import type { Call } from '../../kernel/call.ts';
import type { Services } from '../../kernel/services.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import { countResources, nothingCounted, readLimits } from './store.ts';

declare module '../../kernel/registry.ts' {
  interface Family {
    /** The queries that count the use of limits whose unit is not a resource, by limit id. */
    readonly limitCounts?: Readonly<Record<string, LimitCount>>;
  }
}

/** Returns a query for one number. `location` is null for limits with another scope than `location`. */
export type LimitCount = (accountId: string, location: string | null) => RawBuilder<number>;

type Limit = Catalogue['limits'][number];

/** A limit, and for limits with scope `location` the location where it is counted. */
interface PlacedLimit {
  readonly limit: Limit;
  readonly location: string | null;
}

export type LimitRow = Awaited<ReturnType<typeof readLimitRows>>[number];
type Reader = Pick<Call, 'db' | 'caller' | 'services'>;

function countOf({ registry }: Services, accountId: string, { limit, location }: PlacedLimit) {
  for (const { limitCounts } of registry.families) {
    const count = limitCounts?.[limit.id];
    if (count !== undefined) return count(accountId, location);
  }
  const types = [...registry.resourceTypes.values()].filter((type) => type.limit === limit.id);
  if (types.length === 0) return nothingCounted;
  return countResources(
    accountId,
    types.map(({ type }) => type),
    location,
  );
}

/** Counts only these limits, in one statement. */
export async function readLimitRows({ db, caller, services }: Reader, limits: readonly PlacedLimit[]) {
  const accountId = caller.account.id;
  const counted = limits.map((each) => ({ id: each.limit.id, count: countOf(services, accountId, each) }));
  const states = await readLimits(db, accountId, counted);
  return limits.map(({ limit, location }, i) => {
    const { used = 0, own } = states[i] ?? {};
    return {
      id: limit.id,
      family: limit.id.split('.')[0] ?? '',
      name: limit.name,
      unit: limit.unit,
      limit: own === undefined ? limit.limit : own,
      used,
      scope: limit.scope,
      location,
      raisable: limit.raisable,
      maximum_on_request: limit.maximum_on_request,
    };
  });
}

/** All limits, sorted by id. A limit with scope `location` has one row per location. */
export async function readAllLimits(call: Reader): Promise<LimitRow[]> {
  const { limits, locations } = call.services.provider.catalogue;
  const placed = limits.flatMap((limit) => {
    const places = limit.scope === 'location' ? locations.map(({ slug }) => slug) : [null];
    return places.map((location) => ({ limit, location }));
  });
  const rows = await readLimitRows(call, placed);
  return rows.sort((a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1));
}
