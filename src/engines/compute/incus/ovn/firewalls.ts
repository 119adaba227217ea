/**
 * Firewalls in networks of OVN: a set of rules in each network that has members. The addresses of the members are in
 * address sets, to which rules of other firewalls refer. One more address set, which is always empty, keeps the
 * specification: first the revision that is being written, at the end all that is in force. While a firewall is
 * written, every transaction checks that no later revision has begun.
 */
import { refuseMissingCapability } from '../../../capability.ts';
import { EngineUnreachable } from '../../../errors.ts';
import type { Firewall, FirewallMember, FirewallSpec } from '../../firewall.ts';
import type { Ref } from '../../instance.ts';
import type { Site } from '../driver-context.ts';
import { readGivenUp } from '../hosts.ts';
import { networkNameOf } from '../names.ts';
import { type EngineIds, portsOf, readEngineIds } from './firewall-ports.ts';
import { firewallRules } from './firewall-rules.ts';
import { findLogical, type LogicalNetwork } from './logical-network.ts';
import { digest, emptyOtherSets, ensureSets, FIREWALL, keyOf, setsOf } from './member-sets.ts';
import {
  isLabelled,
  isNamed,
  mapOf,
  type Northbound,
  type Operation,
  readMap,
  readUuid,
  unlessChanged,
  update,
} from './northbound.ts';
import { OvsdbError } from './ovsdb.ts';
import { countRules, ensureRules, groupOf, removeRules, repeatedly } from './rules.ts';

const BEGUN = 'hostplane-begun';
const NOTE = 'hostplane-note';

/** What is in force: the specification, and how many rules it has in all networks. */
interface Note extends FirewallSpec {
  readonly count: number;
}

const anchorOf = (ref: Ref): string => `hostplane_fw_${digest(keyOf(ref))}`;
const subjectOf = ({ id }: Ref): string => `firewall ${id}`;

interface Anchor {
  readonly id: string;
  readonly external_ids: unknown;
  readonly begun: number;
  readonly note: Note | null;
}

async function findAnchor(northbound: Northbound, ref: Ref, signal?: AbortSignal): Promise<Anchor | null> {
  const [row] = await northbound.find('Address_Set', [isNamed(anchorOf(ref))], ['external_ids'], signal);
  if (row === undefined) return null;
  const ids = readMap(row.external_ids);
  const note = ids[NOTE];
  return {
    id: readUuid(row),
    external_ids: row.external_ids,
    begun: Number(ids[BEGUN]),
    note: note === undefined ? null : (JSON.parse(note) as Note),
  };
}

const idsOf = (ref: Ref, begun: number, note: Note | null): unknown =>
  mapOf({
    [FIREWALL]: keyOf(ref),
    [BEGUN]: String(begun),
    ...(note === null ? {} : { [NOTE]: JSON.stringify(note) }),
  });

/** What every transaction checks; null if a later revision has begun. */
async function begin(
  northbound: Northbound,
  ref: Ref,
  { revision }: FirewallSpec,
  signal?: AbortSignal,
): Promise<Pick<Anchor, 'id' | 'external_ids'> | null> {
  return repeatedly(async () => {
    const anchor = await findAnchor(northbound, ref, signal);
    const external_ids = idsOf(ref, revision, anchor?.note ?? null);
    if (anchor === null) {
      const row = { name: anchorOf(ref), external_ids };
      const [inserted] = await northbound.change([{ op: 'insert', table: 'Address_Set', row }], signal);
      return { id: readUuid({ _uuid: inserted?.uuid }), external_ids };
    }
    if (anchor.begun >= revision) return anchor.begun === revision ? anchor : null;
    const guard = unlessChanged('Address_Set', anchor.id, 'external_ids', anchor.external_ids);
    await northbound.change([guard, update('Address_Set', anchor.id, { external_ids })], signal);
    return { id: anchor.id, external_ids };
  }, signal);
}

interface Place {
  readonly network: LogicalNetwork;
  readonly members: readonly FirewallMember[];
}

interface Places {
  /** By the engine's name of the network. A network that is gone has no members. */
  readonly networks: ReadonlyMap<string, Place>;
  readonly ids: EngineIds;
}

/** Where the members are at the engine. */
async function findPlaces(
  site: Site,
  northbound: Northbound,
  ref: Ref,
  members: readonly FirewallMember[],
  signal?: AbortSignal,
): Promise<Places> {
  const find = async (id: string | null) => {
    const name = networkNameOf({ account: ref.account, id: id ?? '' }, 'ovn');
    const network = await findLogical({ client: site.client, northbound }, name, signal);
    const own = members.filter((each) => each.network === id);
    return network === null ? [] : [[name, { network, members: own }] as const];
  };
  const wanted = [...new Set(members.map(({ network }) => network))];
  const [found, ids] = await Promise.all([Promise.all(wanted.map(find)), readEngineIds(site, ref, signal)]);
  return { networks: new Map(found.flat()), ids };
}

function requireNorthbound(site: Site, members: readonly FirewallMember[]): Northbound {
  const { northbound, capabilities } = site;
  refuseMissingCapability(capabilities, 'privateFirewalls');
  if (members.some(({ network }) => network === null))
    refuseMissingCapability(capabilities, 'publicFirewalls');
  if (northbound === null) throw new EngineUnreachable('OVN is not configured.');
  return northbound;
}

/**
 * A firewall is in force when all servers have it, also those where only rules of other firewalls refer to its members.
 * A slow server is waited for: the caller tries again. A server that the cluster has given up gets it when it is back.
 */
async function requireInForce(site: Site, northbound: Northbound, signal?: AbortSignal): Promise<void> {
  if (await northbound.settle(signal)) return;
  const { server_clustered: isClustered } = (await site.readServer()).environment;
  if (isClustered && (await readGivenUp(site, signal)).size > 0) return;
  throw new EngineUnreachable('A server of this location does not have the firewall yet.');
}

export async function ensureFirewall(
  site: Site,
  ref: Ref,
  spec: FirewallSpec,
  signal?: AbortSignal,
): Promise<void> {
  const northbound = requireNorthbound(site, spec.members);
  const [anchor, places] = await Promise.all([
    begin(northbound, ref, spec, signal),
    findPlaces(site, northbound, ref, spec.members, signal),
  ]);
  if (anchor === null) return;
  const guard = unlessChanged('Address_Set', anchor.id, 'external_ids', anchor.external_ids);
  try {
    const note = await write(northbound, ref, spec, places, guard, signal);
    await requireInForce(site, northbound, signal);
    const external_ids = idsOf(ref, spec.revision, note);
    await northbound.change([guard, update('Address_Set', anchor.id, { external_ids })], signal);
  } catch (error) {
    const now = await findAnchor(northbound, ref, signal);
    const isOvertaken = error instanceof OvsdbError && now !== null && now.begun > spec.revision;
    if (!isOvertaken) throw error;
  }
}

/** Writes what the firewall has in one network, and returns the number of its rules. Members first, so that rules never name a set that does not exist. */
async function writeIn(
  northbound: Northbound,
  ref: Ref,
  spec: FirewallSpec,
  { network, ports, members }: Place & { readonly ports: readonly string[] },
  guard: Operation,
  signal?: AbortSignal,
): Promise<number> {
  const { name } = network;
  const addresses = [...new Set(members.flatMap((member) => member.addresses))];
  const remotes = new Set(spec.rules.flatMap(({ remote }) => remote?.firewalls ?? []));
  const others = [...remotes].filter((id) => id !== ref.id);
  await Promise.all([
    ensureSets(northbound, ref, name, addresses, guard, signal),
    ...others.map((id) => ensureSets(northbound, { ...ref, id }, name, null, guard, signal)),
  ]);
  const setsIn = (id: string) => setsOf({ ...ref, id }, name);
  const rules = firewallRules(spec, ports, setsIn(ref.id), setsIn);
  const set = { subject: subjectOf(ref), machine: null, rules };
  await ensureRules(northbound, groupOf(network), [set], signal, [guard]);
  return rules.length;
}

/** Writes all networks at once: the guard stops what still runs after one of them failed and the next attempt began. */
async function write(
  northbound: Northbound,
  ref: Ref,
  spec: FirewallSpec,
  { networks, ids }: Places,
  guard: Operation,
  signal?: AbortSignal,
): Promise<Note> {
  const places = [...networks.values()];
  const kept = places.map(({ network }) => groupOf(network).name);
  const [counts] = await Promise.all([
    Promise.all(
      places.map(async ({ network, members }) => {
        const ports = await portsOf(northbound, network, ids, members, signal);
        return writeIn(northbound, ref, spec, { network, ports, members }, guard, signal);
      }),
    ),
    removeRules(northbound, null, subjectOf(ref), signal, { kept, guards: [guard] }),
    emptyOtherSets(northbound, ref, new Set(networks.keys()), guard, signal),
  ]);
  return { ...spec, count: counts.reduce((sum, count) => sum + count, 0) };
}

/** Null also if rules are missing in the database, so that the firewall is written again. */
export async function observeFirewall(
  { northbound }: Site,
  ref: Ref,
  signal?: AbortSignal,
): Promise<Firewall | null> {
  if (northbound === null) return null;
  const [anchor, found] = await Promise.all([
    findAnchor(northbound, ref, signal),
    countRules(northbound, subjectOf(ref), signal),
  ]);
  if (anchor === null || anchor.note === null) return null;
  const { count, ...spec } = anchor.note;
  return found === count ? { ...spec, ...ref } : null;
}

export async function observeFirewalls({ northbound }: Site, signal?: AbortSignal): Promise<Ref[]> {
  const rows = (await northbound?.find('Address_Set', [], ['external_ids'], signal)) ?? [];
  return rows.flatMap((row) => {
    const ids = readMap(row.external_ids);
    const [account = '', id = ''] = ids[FIREWALL]?.split('/') ?? [];
    return ids[BEGUN] === undefined ? [] : [{ account, id }];
  });
}

export async function removeFirewall({ northbound }: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  if (northbound === null) return;
  const areRemoved = await removeRules(northbound, null, subjectOf(ref), signal);
  const where = [isLabelled({ [FIREWALL]: keyOf(ref) })];
  await northbound.change([{ op: 'delete', table: 'Address_Set', where }], signal);
  if (areRemoved) await northbound.settle(signal);
}
