/** Brings firewalls into force at engines. */
import {
  EngineUnreachable,
  type FirewallSpec,
  type Ref,
  type FirewallRule as Rule,
} from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import type { Db } from '../../../store/database.ts';
import { firewallsOf, readMembers } from './members/store.ts';
import { readPorts } from './rules.ts';
import { nextRevision, readFirewall } from './store.ts';
import type { FirewallRow, StoredRule } from './table.ts';

type Asking = Pick<Work<unknown>, 'db' | 'services' | 'signal'>;

/** A machine or an interface that is no longer at the engine, but still has its rows. */
export interface Leaving {
  readonly vmId?: string;
  readonly interfaceId?: string;
}

export const refOf = ({ account_id, id }: Pick<FirewallRow, 'account_id' | 'id'>): Ref => ({
  account: account_id,
  id,
});

const ruleOf = (rule: StoredRule): Rule => {
  const {
    direction,
    action,
    protocol,
    icmp_type,
    remote_cidrs: cidrs,
    remote_firewall_ids: firewalls,
  } = rule;
  const isForAll = cidrs.length === 0 && firewalls.length === 0;
  return {
    direction,
    action,
    protocol,
    ports: rule.ports.flatMap((text) => readPorts(text) ?? []),
    icmpType: icmp_type,
    remote: isForAll ? null : { cidrs, firewalls },
  };
};

/** The revision is taken before the rows are read, so a later revision has all that an earlier one has. */
export async function specOf(
  db: Db,
  id: string,
  location: string,
  { vmId, interfaceId }: Leaving = {},
): Promise<FirewallSpec | null> {
  const revision = await nextRevision(db);
  const row = await readFirewall(db, id);
  if (row === undefined) return null;
  const members = await readMembers(db, id, location);
  return {
    revision,
    defaultIn: row.default_in,
    defaultOut: row.default_out,
    rules: row.rules.filter(({ enabled }) => enabled).map(ruleOf),
    members: members.filter(({ instance, nic }) => instance !== vmId && nic !== interfaceId),
  };
}

/** A firewall that is deleted at the same time must not stay at the engine. */
export async function applyAt(
  { db, services, signal }: Asking,
  row: Pick<FirewallRow, 'id' | 'account_id'>,
  location: string,
  leaving?: Leaving,
): Promise<void> {
  const engine = engineAt(services.compute, location);
  const spec = await specOf(db, row.id, location, leaving);
  if (spec !== null) {
    await engine.ensureFirewall(refOf(row), spec, signal);
    const seen = await engine.observeFirewall(refOf(row), signal);
    if (seen === null || seen.revision < spec.revision)
      throw new EngineUnreachable('The engine reported the firewall as applied, but does not have it.');
  }
  const after = await readFirewall(db, row.id);
  if (after === undefined || after.status === 'deleting') await engine.removeFirewall(refOf(row), signal);
}

/**
 * Applies the firewalls of a machine with its present interfaces: before an interface is connected, so that they are
 * in force from its first packet on, and after one has left, so that no rule lets its addresses through.
 */
export async function applyFirewallsOf(
  work: Asking,
  vm: { readonly id: string; readonly location: string },
  leaving?: Leaving,
): Promise<void> {
  for (const row of await firewallsOf(work.db, vm.id))
    if (row.status !== 'deleting') await applyAt(work, row, vm.location, leaving);
}
