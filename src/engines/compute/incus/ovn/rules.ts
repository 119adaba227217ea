/**
 * Rules for the packets of a network, written as ACLs into the northbound database. Incus knows nothing about them
 * and leaves them alone: they belong to port groups of ours. A group contains only a port towards the router, which
 * always exists and ties the rules to the switch. The rules name the ports of machines in their matches, so they stay
 * in force when Incus removes and creates such a port, and hold from the first packet of a new port.
 *
 * The rules are kept in sets. Each set has a subject and is replaced as a whole, together with any number of other
 * sets of the same group. Priorities, of which the highest decides: Incus uses those below 1000.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineUnreachable } from '../../../errors.ts';
import { groupNameOf, labels, type Side } from './groups.ts';
import type { LogicalNetwork } from './logical-network.ts';
import {
  isLabelled,
  isNamed,
  mapOf,
  type Northbound,
  named,
  type Operation,
  type Row,
  readMap,
  readUuid,
  readUuids,
  type Strings,
  setOf,
  TIMED_OUT,
  unlessChanged,
  update,
  uuid,
} from './northbound.ts';
import { OvsdbError } from './ovsdb.ts';

export const priorities = {
  /** Firewalls of customers have the priorities from here on, up to 1999. */
  firewall: 1000,
  /** What no firewall may allow. */
  always: 3000,
} as const;

export interface Rule {
  /** `from-lport`: when the packet enters the switch. `to-lport`: when it leaves the switch. */
  readonly direction: 'from-lport' | 'to-lport';
  readonly priority: number;
  readonly match: string;
  readonly action: 'allow' | 'allow-related' | 'drop' | 'reject';
  /**
   * Only for `from-lport`: the rule is in a second table, which a packet reaches if the first one lets it through. So
   * what the first table allows can still be dropped here.
   */
  readonly isSecond?: boolean;
}

export interface RuleSet {
  /** Unique within the group, such as `sources nic_01…`. */
  readonly subject: string;
  /** The machine with which the rules are removed; null: they are removed with the network. */
  readonly machine: string | null;
  readonly rules: readonly Rule[];
}

interface Group {
  readonly name: string;
  /** The name of the network at the engine. */
  readonly network: string;
  /** The port towards the router on this switch. */
  readonly port: string;
}

export function groupOf(network: LogicalNetwork, side: Side = 'inside'): Group {
  const { name, prefix, gatewayPort, outside } = network;
  return {
    name: groupNameOf(prefix, side),
    network: name,
    port: side === 'inside' ? gatewayPort : outside.routerPort,
  };
}

const COLUMNS = ['direction', 'priority', 'match', 'action', 'options', 'external_ids'];
const SECOND = 'apply-after-lb';
const TRIES = 20;
const PAUSE_MS = 20;

const optionsOf = ({ isSecond = false }: Rule): unknown => mapOf(isSecond ? { [SECOND]: 'true' } : {});

const textOf = ({ direction, priority, match, action, options }: Row): string =>
  JSON.stringify([direction, priority, match, action, options]);

const isSame = (rows: readonly Row[], rules: readonly Row[]): boolean =>
  rows.map(textOf).toSorted().join() === rules.map(textOf).toSorted().join();

const rowOf = (rule: Rule): Row => {
  const { direction, priority, match, action } = rule;
  return { direction, priority, match, action, options: optionsOf(rule) };
};

const subjectOf = (row: Row): string | undefined => readMap(row.external_ids)[labels.subject];

/**
 * Replaces the sets with these subjects; a set without rules is removed. Other sets of the group stay. Returns when
 * the rules are in force. If one of the `guards` fails, nothing is changed, and the call ends with `timed out`.
 */
export async function ensureRules(
  northbound: Northbound,
  group: Group,
  sets: readonly RuleSet[],
  signal?: AbortSignal,
  guards: readonly Operation[] = [],
): Promise<void> {
  await repeatedly(async () => {
    const [rows, found] = await Promise.all([
      northbound.find('ACL', [isLabelled({ [labels.group]: group.name })], COLUMNS, signal),
      requireGroup(northbound, group, signal),
    ]);
    const differing = sets.filter(
      ({ subject, rules }) =>
        !isSame(
          rows.filter((row) => subjectOf(row) === subject),
          rules.map(rowOf),
        ),
    );
    if (differing.length === 0) return;
    const subjects = new Set(differing.map(({ subject }) => subject));
    const gone = rows.filter((row) => subjects.has(subjectOf(row) ?? '')).map(readUuid);
    await northbound.changeAndSettle([...guards, ...replaced(group, found, gone, differing)], signal);
  }, signal);
}

interface Found {
  readonly id: string;
  readonly acls: unknown;
}

function replaced({ name }: Group, { id, acls }: Found, gone: readonly string[], sets: readonly RuleSet[]) {
  const added = sets.flatMap(({ subject, machine, rules }) =>
    rules.map((rule): Row => {
      const external_ids: Strings = {
        [labels.group]: name,
        [labels.subject]: subject,
        ...(machine === null ? {} : { [labels.machine]: machine }),
      };
      return { ...rowOf(rule), external_ids: mapOf(external_ids) };
    }),
  );
  const inserts = added.map(
    (row, i): Operation => ({ op: 'insert', table: 'ACL', row, 'uuid-name': `rule${i}` }),
  );
  const kept = readUuids(acls).filter((each) => !gone.includes(each));
  const all = setOf([...kept.map(uuid), ...added.map((_, i) => named(`rule${i}`))]);
  return [unlessChanged('Port_Group', id, 'acls', acls), ...inserts, update('Port_Group', id, { acls: all })];
}

async function requireGroup(northbound: Northbound, own: Group, signal?: AbortSignal): Promise<Found> {
  const { name, network, port } = own;
  const [groups, ports] = await Promise.all([
    northbound.find('Port_Group', [isNamed(name)], ['acls', 'ports'], signal),
    northbound.find('Logical_Switch_Port', [isNamed(port)], [], signal),
  ]);
  const [gateway] = ports.map(readUuid);
  if (gateway === undefined) throw new EngineUnreachable('The network is not in OVN yet.');
  const [group] = groups;
  const wanted = setOf([uuid(gateway)]);
  if (group === undefined) {
    const row = { name, ports: wanted, external_ids: mapOf({ [labels.network]: network }) };
    await northbound.change([{ op: 'insert', table: 'Port_Group', row }], signal);
    return requireGroup(northbound, own, signal);
  }
  const id = readUuid(group);
  if (readUuids(group.ports).join() !== gateway)
    await northbound.change([update('Port_Group', id, { ports: wanted })], signal);
  return { id, acls: group.acls };
}

/** `timed out`: another process has changed the rows. `constraint violation`: it has just created one. */
export async function repeatedly<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      const passes = error instanceof OvsdbError && [TIMED_OUT, 'constraint violation'].includes(error.code);
      if (!passes || left === 0) throw error;
      await wait(Math.random() * PAUSE_MS, undefined, { signal });
    }
  }
}

/**
 * Removes all rules that were written for the machine, for a subject, or for one subject of it, in any network, except
 * those of the groups in `kept`. Tells whether there were some; does not wait until they are no longer in force.
 */
export async function removeRules(
  northbound: Northbound,
  machine: string | null,
  subject: string | null,
  signal?: AbortSignal,
  {
    kept = [],
    guards = [],
  }: { readonly kept?: readonly string[]; readonly guards?: readonly Operation[] } = {},
): Promise<boolean> {
  const wanted = {
    ...(machine === null ? {} : { [labels.machine]: machine }),
    ...(subject === null ? {} : { [labels.subject]: subject }),
  };
  const rows = await northbound.find('ACL', [isLabelled(wanted)], ['external_ids'], signal);
  const groupIn = (row: Row): string => readMap(row.external_ids)[labels.group] ?? '';
  const operations = rows
    .filter((row) => !kept.includes(groupIn(row)))
    .map(
      (row): Operation => ({
        op: 'mutate',
        table: 'Port_Group',
        where: [isNamed(groupIn(row))],
        mutations: [['acls', 'delete', setOf([uuid(readUuid(row))])]],
      }),
    );
  if (operations.length > 0) await northbound.change([...guards, ...operations], signal);
  return operations.length > 0;
}

/** For a removed network, with its sets of addresses. OVN deletes the rules together with their groups. */
export async function removeGroups(
  northbound: Northbound,
  network: string,
  signal?: AbortSignal,
): Promise<void> {
  const where = [isLabelled({ [labels.network]: network })];
  await northbound.change(
    [
      { op: 'delete', table: 'Port_Group', where },
      { op: 'delete', table: 'Address_Set', where },
    ],
    signal,
  );
}

/** How many rules of the subject there are, in all networks. */
export async function countRules(
  northbound: Northbound,
  subject: string,
  signal?: AbortSignal,
): Promise<number> {
  return (await northbound.find('ACL', [isLabelled({ [labels.subject]: subject })], [], signal)).length;
}
