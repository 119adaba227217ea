import type { Call } from '../../kernel/call.ts';
import { readAccountCounts, readOverrides, readResourceCounts } from './store.ts';

export type LimitRow = Awaited<ReturnType<typeof readLimitRows>>[number];

/**
 * All limits of the account: the provider's value or the account's override, and the usage. A limit with scope
 * `location` has one row per location.
 */
export async function readLimitRows({ db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>) {
  const { limits, locations } = services.provider.catalogue;
  const accountId = caller.account.id;
  const overrides = await readOverrides(db, accountId);
  const counts = await readResourceCounts(db, accountId);
  const own = new Map<string, number>(await readAccountCounts(db, accountId));
  for (const { countLimits } of services.registry.families)
    for (const [id, count] of (await countLimits?.(db, accountId)) ?? []) own.set(id, count);
  const limitOf = new Map(
    [...services.registry.resourceTypes.values()].map(({ type, limit }) => [type, limit]),
  );
  const used = (id: string, location: string | null): number =>
    (own.get(id) ?? 0) +
    counts
      .filter((count) => limitOf.get(count.type) === id && (location === null || count.location === location))
      .reduce((total, count) => total + count.count, 0);
  return limits
    .flatMap((limit) => {
      const places = limit.scope === 'location' ? locations.map(({ slug }) => slug) : [null];
      return places.map((location) => ({
        id: limit.id,
        family: limit.id.split('.')[0] ?? '',
        name: limit.name,
        unit: limit.unit,
        limit: overrides.has(limit.id) ? (overrides.get(limit.id) ?? null) : limit.limit,
        used: used(limit.id, location),
        scope: limit.scope,
        location,
        raisable: limit.raisable,
        maximum_on_request: limit.maximum_on_request,
      }));
    })
    .sort((a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1));
}
