/** Which machines and interfaces firewalls cover. */
import { type RawBuilder, sql } from 'kysely';
import type { FirewallMember } from '../../../../engines/compute/port.ts';
import type { Db } from '../../../../store/database.ts';
import type { FirewallRow } from '../table.ts';

/** The machines of a firewall, or one machine. */
export type Scope = { readonly firewallId: string } | { readonly vmId: string };

/**
 * The members of one machine. The view has no index of its own: the account is what leads from the machine to the
 * attachments that may cover it.
 */
const ofMachine = (vm: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(
    select * from firewall_members
    where vm_id = ${vm} and account_id = (select account_id from vms where id = ${vm}))`;

const inScope = (scope: Scope): RawBuilder<unknown> =>
  'vmId' in scope
    ? ofMachine(sql`${scope.vmId}`)
    : sql`(select * from firewall_members where firewall_id = ${scope.firewallId})`;

/** Each machine of the scope with all its firewalls. Without the offset, PostgreSQL would first read those of all machines. */
const wholeMachines = (scope: Scope): RawBuilder<unknown> =>
  'vmId' in scope
    ? inScope(scope)
    : sql`(
        select m.* from (select distinct vm_id from ${inScope(scope)} own) s
        cross join lateral (select * from ${ofMachine(sql`s.vm_id`)} all_of offset 0) m)`;

/** The most firewalls, and the most entries of rules, that one of the machines has. */
export async function readLoad(
  db: Db,
  scope: Scope,
): Promise<{ readonly firewalls: number; readonly entries: number }> {
  const { rows } = await sql<{ firewalls: number; entries: number }>`
    select coalesce(max(firewalls), 0)::int as firewalls, coalesce(max(entries), 0)::int as entries from (
      select had.vm_id, count(*) as firewalls, sum(f.entries) as entries
      from (select distinct m.vm_id, m.firewall_id from ${wholeMachines(scope)} m) had
      join firewalls f on f.id = had.firewall_id
      group by had.vm_id) loads`.execute(db);
  return rows[0] ?? { firewalls: 0, entries: 0 };
}

/** The locations and kinds of the interfaces with a firewall. */
export async function readCovered(
  db: Db,
  scope: Scope,
): Promise<{ readonly location: string; readonly kind: 'public' | 'private' }[]> {
  const { rows } = await sql<{ location: string; kind: 'public' | 'private' }>`
    select distinct v.location, i.kind from ${inScope(scope)} m
    join vm_interfaces i on i.vm_id = m.vm_id and (m.interface_id is null or m.interface_id = i.id)
    join vms v on v.id = m.vm_id
    order by 1, 2`.execute(db);
  return rows;
}

/** Notes where engines are going to have the firewalls, so that they are removed there one day. */
export async function noteLocations(db: Db, scope: Scope): Promise<void> {
  await sql`
    update firewalls f set locations = f.locations || fresh.locations
    from (
      select m.firewall_id, array_agg(distinct v.location) as locations
      from ${inScope(scope)} m join vms v on v.id = m.vm_id join firewalls old on old.id = m.firewall_id
      where not v.location = any(old.locations)
      group by m.firewall_id) fresh
    where f.id = fresh.firewall_id`.execute(db);
}

/** Machines and interfaces show their firewalls, so their versions increase with those of the firewall. */
export async function raiseVersions(db: Db, firewallId: string): Promise<void> {
  await sql`
    with machines as (
      update vms set version = version + 1, updated_at = now()
      where id = any(array(select vm_id from firewall_members where firewall_id = ${firewallId})) returning id)
    update vm_interfaces set version = version + 1, updated_at = now()
    where vm_id = any(array(select id from machines))`.execute(db);
}

/** The interfaces of the firewall in a location, with all their addresses. */
export async function readMembers(db: Db, firewallId: string, location: string): Promise<FirewallMember[]> {
  const { rows } = await sql<FirewallMember>`
    select i.vm_id as instance, i.id as nic, i.network_id as network, array(
      select host(a.address) from network_addresses a where a.interface_id = i.id
      union all
      select text(p.block) from public_addresses p where p.interface_id = i.id
      order by 1) as addresses
    from (
      select distinct i.id from firewall_members m
      join vm_interfaces i on i.vm_id = m.vm_id and (m.interface_id is null or m.interface_id = i.id)
      join vms v on v.id = m.vm_id
      where m.firewall_id = ${firewallId} and v.location = ${location}) covered
    join vm_interfaces i on i.id = covered.id
    order by i.id`.execute(db);
  return rows;
}

/** The firewalls of a machine, of all its interfaces. */
export function firewallsOf(db: Db, vmId: string): Promise<FirewallRow[]> {
  return db
    .selectFrom('firewalls')
    .selectAll()
    .where(sql<boolean>`id = any(array(select m.firewall_id from ${inScope({ vmId })} m))`)
    .orderBy('id')
    .execute();
}

/** Which firewalls a machine has; `interface_id` is null for those of all its interfaces. */
export async function membershipsOf(
  db: Db,
  vmId: string,
): Promise<{ firewall_id: string; interface_id: string | null }[]> {
  const { rows } = await sql<{ firewall_id: string; interface_id: string | null }>`
    select distinct m.firewall_id, m.interface_id from ${inScope({ vmId })} m
    order by m.firewall_id`.execute(db);
  return rows;
}

/** The ids of the firewalls of an interface, to be read in the same query. */
export const firewallIdsOf = (vm: string, nic: string) =>
  sql<string[]>`(
    select coalesce(json_agg(distinct m.firewall_id), '[]') from ${ofMachine(sql.ref(vm))} m
    where m.interface_id is null or m.interface_id = ${sql.ref(nic)})`;

/** Whether a machine has no firewall any more without this one, or without this attachment of it. */
export async function leavesSomeOpen(db: Db, firewallId: string, attachmentId?: string): Promise<boolean> {
  const [own, other] =
    attachmentId === undefined
      ? [sql`true`, sql`o.firewall_id <> ${firewallId}`]
      : [sql`m.attachment_id = ${attachmentId}`, sql`o.attachment_id <> ${attachmentId}`];
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (
      select from firewall_members m where m.firewall_id = ${firewallId} and ${own}
        and not exists (select from ${ofMachine(sql`m.vm_id`)} o where ${other} offset 0)
    ) as is_open`.execute(db);
  return rows[0]?.is_open === true;
}
