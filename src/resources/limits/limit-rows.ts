/** The limits of an account: the provider's value or the account's own, and how much of it is used. */
import type { RawBuilder } from 'kysely';
import type { Call } from '../../kernel/call.ts';
import type { Services } from '../../kernel/services.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { Arriving } from '../../store/send-later.ts';
import { countKept } from './kept/store.ts';
import { type Count, type LimitState, nothingCounted, readLimits, readLimitsLater } from './store.ts';

declare module '../../kernel/registry.ts' {
  interface Family {
    /** How limits are counted whose unit is not a resource of the inventory. */
    readonly limitCounts?: readonly LimitCount[];
  }
}

export interface LimitCount {
  readonly limits: readonly string[];
  /** A query for one row with a number for each limit. `location` is null unless the limits have scope `location`. */
  query(accountId: string, location: string | null): RawBuilder<unknown>;
}

type Limit = Catalogue['limits'][number];

/** A limit, and for limits with scope `location` the location where it is counted. */
interface PlacedLimit {
  readonly limit: Limit;
  readonly location: string | null;
}

export type LimitRow = ReturnType<typeof rowsOf>[number];
type Reader = Pick<Call, 'db' | 'caller' | 'services'>;

/** Counts limits whose resources do not exist yet. */
const nothing: LimitCount = { limits: [], query: () => nothingCounted };

function countOf({ registry }: Services, { id }: Limit): LimitCount {
  for (const { limitCounts = [] } of registry.families)
    for (const count of limitCounts) if (count.limits.includes(id)) return count;
  const types = [...registry.resourceTypes.values()].flatMap(({ type, limit }) =>
    limit === id ? [type] : [],
  );
  if (types.length === 0) return nothing;
  return { limits: [id], query: (accountId, location) => countKept(accountId, types, location) };
}

/** Limits that the same query counts are counted together. */
function countsOf(services: Services, accountId: string, wanted: readonly PlacedLimit[]): Count[] {
  const counts = new Map<string, Count & { readonly uses: Count['uses'][number][] }>();
  for (const [place, { limit, location }] of wanted.entries()) {
    const { limits, query } = countOf(services, limit);
    const at = limits.length === 0 ? null : location;
    const name = [at, ...limits].join(' ');
    const columns = Math.max(1, limits.length);
    const count = counts.get(name) ?? { query: query(accountId, at), columns, uses: [] };
    count.uses.push({ id: limit.id, place, column: Math.max(0, limits.indexOf(limit.id)) });
    counts.set(name, count);
  }
  return [...counts.values()];
}

const rowsOf = (limits: readonly PlacedLimit[], states: readonly LimitState[]) =>
  limits.map(({ limit, location }, i) => {
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

/** Counts only these limits, in one statement. */
export async function readLimitRows({ db, caller, services }: Reader, limits: readonly PlacedLimit[]) {
  const accountId = caller.account.id;
  return rowsOf(limits, await readLimits(db, accountId, countsOf(services, accountId, limits)));
}

/** Like `readLimitRows`, but the rows arrive with the answer to the next statement. */
export async function readLimitRowsLater(
  { db, caller, services }: Reader,
  limits: readonly PlacedLimit[],
): Promise<Arriving<LimitRow>> {
  const accountId = caller.account.id;
  const { rows } = await readLimitsLater(db, accountId, countsOf(services, accountId, limits));
  return { rows: rows.then((states) => rowsOf(limits, states)) };
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
