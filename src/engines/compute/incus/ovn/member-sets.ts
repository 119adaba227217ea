/** The addresses of the members of a firewall in each network, as address sets of OVN, to which rules refer. */
import { createHash } from 'node:crypto';
import type { Ref } from '../../instance.ts';
import type { AddressSets } from './firewall-rules.ts';
import { labels } from './groups.ts';
import {
  isLabelled,
  isNamed,
  mapOf,
  type Northbound,
  type Operation,
  readMap,
  readSet,
  readUuid,
  setOf,
  update,
} from './northbound.ts';
import { repeatedly } from './rules.ts';

/** The label with the key of a firewall. */
export const FIREWALL = 'hostplane-firewall';

export const keyOf = ({ account, id }: Ref): string => `${account}/${id}`;

export const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('/')).digest('hex').slice(0, 24);

export function setsOf(ref: Ref, network: string): AddressSets {
  const name = `hostplane_members_${digest(keyOf(ref), network)}`;
  return { v4: `${name}_4`, v6: `${name}_6` };
}

/**
 * Creates the sets that are missing; `addresses` is null for those of other firewalls, which are left as they are. Tells
 * whether the addresses of the set have changed.
 */
async function ensureSet(
  northbound: Northbound,
  wanted: { readonly name: string; readonly network: string; readonly owner: Ref },
  addresses: readonly string[] | null,
  guard: Operation,
  signal?: AbortSignal,
): Promise<boolean> {
  const { name, network, owner } = wanted;
  let isChanged = false;
  await repeatedly(async () => {
    const [row] = await northbound.find('Address_Set', [isNamed(name)], ['addresses'], signal);
    const external_ids = mapOf({ [labels.network]: network, [FIREWALL]: keyOf(owner) });
    if (row === undefined) {
      const fresh = { name, addresses: setOf(addresses ?? []), external_ids };
      await northbound.change([guard, { op: 'insert', table: 'Address_Set', row: fresh }], signal);
    } else if (
      addresses !== null &&
      readSet(row.addresses).toSorted().join() !== addresses.toSorted().join()
    ) {
      const change = update('Address_Set', readUuid(row), { addresses: setOf(addresses) });
      await northbound.change([guard, change], signal);
      isChanged = true;
    }
  }, signal);
  return isChanged;
}

export async function ensureSets(
  northbound: Northbound,
  owner: Ref,
  network: string,
  addresses: readonly string[] | null,
  guard: Operation,
  signal?: AbortSignal,
): Promise<boolean> {
  const names = setsOf(owner, network);
  const of = (isV6: boolean) => addresses?.filter((each) => each.includes(':') === isV6) ?? null;
  const areChanged = await Promise.all([
    ensureSet(northbound, { name: names.v4, network, owner }, of(false), guard, signal),
    ensureSet(northbound, { name: names.v6, network, owner }, of(true), guard, signal),
  ]);
  return areChanged.includes(true);
}

/**
 * Empties the sets of networks in which the firewall has no members. They are found in the database, because an attempt
 * that was interrupted may have written there and left no note.
 */
export async function emptyOtherSets(
  northbound: Northbound,
  ref: Ref,
  networks: ReadonlySet<string>,
  guard: Operation,
  signal?: AbortSignal,
): Promise<boolean> {
  const where = [isLabelled({ [FIREWALL]: keyOf(ref) })];
  const rows = await northbound.find('Address_Set', where, ['addresses', 'external_ids'], signal);
  const left = rows.filter(
    ({ addresses, external_ids }) =>
      readSet(addresses).length > 0 && !networks.has(readMap(external_ids)[labels.network] ?? ''),
  );
  const changes = left.map((row) => update('Address_Set', readUuid(row), { addresses: setOf([]) }));
  if (changes.length > 0) await northbound.change([guard, ...changes], signal);
  return changes.length > 0;
}
