import { type RawBuilder, sql } from 'kysely';
import type { FirewallMember } from '../../../engines/compute/port.ts';
import type { Call } from '../../../kernel/call.ts';
import { readResources } from '../../../kernel/listing/store.ts';
import { matchesLabels } from '../../../kernel/pages/label-selector.ts';
import { operationIn, pendingOperation } from '../../../kernel/pending/store.ts';
import type { Db } from '../../../store/database.ts';
import type { FirewallStatus } from './lifecycle.ts';
import type { CountedAttachment } from './present.ts';
import type { AttachmentRow, FirewallRow } from './table.ts';

/** A list for a column of type jsonb as text: the driver would write an array of PostgreSQL. */
export const jsonOf = <T>(value: T): T => JSON.stringify(value) as unknown as T;

const attached = sql<readonly CountedAttachment[]>`(
  select coalesce(json_agg(json_build_object('id', a.id, 'vm_id', a.vm_id, 'interface_id', a.interface_id,
    'network_id', a.network_id, 'selector', a.selector, 'created_at', a.created_at,
    'vm_count', (select count(distinct m.vm_id) from firewall_members m
      where m.firewall_id = a.firewall_id and m.attachment_id = a.id)) order by a.id), '[]')
  from firewall_attachments a where a.firewall_id = firewalls.id)`.as('attached');
const vmCount = sql<number>`(
  select count(distinct m.vm_id)::int from firewall_members m where m.firewall_id = firewalls.id)`.as(
  'vm_count',
);

const shown = (db: Db) =>
  db
    .selectFrom('firewalls')
    .selectAll('firewalls')
    .select([attached, vmCount, pendingOperation('firewalls.id').as('pending')]);

type ListCall = Parameters<typeof readResources>[0] & Pick<Call, 'db'>;

interface Filters {
  readonly status?: FirewallStatus | undefined;
  readonly vm_id?: string | undefined;
}

export async function listFirewalls(call: ListCall, { status, vm_id }: Filters) {
  let query = shown(call.db);
  if (status !== undefined) query = query.where('firewalls.status', '=', status);
  if (vm_id !== undefined)
    query = query.where(
      sql<boolean>`firewalls.id = any(array(
        select m.firewall_id from firewall_members m
        where m.vm_id = ${vm_id} and m.account_id = ${call.caller.account.id}))`,
    );
  const { rows, nextCursor } = await readResources(call, 'firewalls', 'listVpsFirewalls', query);
  return {
    rows: rows.map(({ pending, ...row }) => ({ row, operation: operationIn(pending) })),
    nextCursor,
  };
}

export async function findFirewall(db: Db, accountId: string, id: string) {
  const found = await shown(db).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();
  if (found === undefined) return undefined;
  const { pending, ...row } = found;
  return { row, operation: operationIn(pending) };
}

/** For operation steps, which need no check of the account. Returns undefined if the row was deleted. */
export function readFirewall(db: Db, id: string): Promise<FirewallRow | undefined> {
  return db.selectFrom('firewalls').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Locks the firewalls of the account among these, in the order of their ids. */
export function lockFirewalls(db: Db, accountId: string, ids: readonly string[]): Promise<FirewallRow[]> {
  return db
    .selectFrom('firewalls')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** The firewalls with a rule about the machines of this one. */
export function firewallsNaming(db: Db, { account_id, id }: Pick<FirewallRow, 'account_id' | 'id'>) {
  return db
    .selectFrom('firewalls')
    .select(['id', 'name'])
    .where('account_id', '=', account_id)
    .where('id', '<>', id)
    .where(sql<boolean>`rules @> ${JSON.stringify([{ remote_firewall_ids: [id] }])}::jsonb`)
    .orderBy('id')
    .execute();
}

export interface AttachmentUser extends AttachmentRow {
  readonly vm_name: string | null;
  /** The machine or network is being deleted, or the interface detached. */
  readonly is_leaving: boolean;
}

export async function attachmentsOf(db: Db, firewallId: string): Promise<AttachmentUser[]> {
  return db
    .selectFrom('firewall_attachments as a')
    .leftJoin('vm_interfaces as i', 'i.id', 'a.interface_id')
    .leftJoin('vms as v', (join) => join.on(sql<boolean>`v.id = coalesce(a.vm_id, i.vm_id)`))
    .leftJoin('vps_networks as n', 'n.id', 'a.network_id')
    .selectAll('a')
    .select([
      sql<string | null>`coalesce(v.name, n.name)`.as('vm_name'),
      sql<boolean>`coalesce(v.status = 'deleting' or i.status = 'detaching' or n.status = 'deleting', false)`.as(
        'is_leaving',
      ),
    ])
    .where('a.firewall_id', '=', firewallId)
    .orderBy('a.id')
    .execute();
}

export async function insertAttachment(
  db: Db,
  { terms, ...row }: Omit<AttachmentRow, 'created_at'>,
): Promise<void> {
  const values = { ...row, terms: terms === null ? null : jsonOf(terms) };
  await db.insertInto('firewall_attachments').values(values).execute();
}

export async function deleteAttachment(db: Db, firewallId: string, id: string): Promise<void> {
  await db
    .deleteFrom('firewall_attachments')
    .where('id', '=', id)
    .where('firewall_id', '=', firewallId)
    .execute();
}

/** The machines of a firewall, or one machine. */
export type Scope = { readonly firewallId: string } | { readonly vmId: string };

/** The members of the scope, each machine with all its firewalls. The lateral join finds them by machine. */
const inScope = (scope: Scope): RawBuilder<unknown> =>
  'vmId' in scope
    ? sql`(select * from firewall_members where vm_id = ${scope.vmId})`
    : sql`(
        select m.* from (
          select distinct vm_id from firewall_members where firewall_id = ${scope.firewallId}) s
        cross join lateral (select * from firewall_members where vm_id = s.vm_id) m)`;

/** The most firewalls, and the most entries of rules, that one of the machines has. */
export async function readLoad(
  db: Db,
  scope: Scope,
): Promise<{ readonly firewalls: number; readonly entries: number }> {
  const { rows } = await sql<{ firewalls: number; entries: number }>`
    select coalesce(max(firewalls), 0)::int as firewalls, coalesce(max(entries), 0)::int as entries from (
      select had.vm_id, count(*) as firewalls, sum(f.entries) as entries
      from (select distinct m.vm_id, m.firewall_id from ${inScope(scope)} m) had
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
    select distinct v.location, i.kind from firewall_members m
    join vm_interfaces i on i.vm_id = m.vm_id and (m.interface_id is null or m.interface_id = i.id)
    join vms v on v.id = m.vm_id
    where ${'vmId' in scope ? sql`m.vm_id = ${scope.vmId}` : sql`m.firewall_id = ${scope.firewallId}`}
    order by 1, 2`.execute(db);
  return rows;
}

/** Notes where engines are going to have the firewalls, so that they are removed there one day. */
export async function noteLocations(db: Db, scope: Scope): Promise<void> {
  await sql`
    update firewalls f set locations = f.locations || fresh.locations
    from (
      select m.firewall_id, array_agg(distinct v.location) as locations
      from firewall_members m join vms v on v.id = m.vm_id join firewalls old on old.id = m.firewall_id
      where ${'vmId' in scope ? sql`m.vm_id = ${scope.vmId}` : sql`m.firewall_id = ${scope.firewallId}`}
        and not v.location = any(old.locations)
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

export async function nextRevision(db: Db): Promise<number> {
  const { rows } = await sql<{ revision: string }>`
    select nextval('firewall_revisions') as revision`.execute(db);
  return Number(rows[0]?.revision);
}

/** The firewalls of a machine, of all its interfaces. */
export function firewallsOf(db: Db, vmId: string): Promise<FirewallRow[]> {
  return db
    .selectFrom('firewalls')
    .selectAll()
    .where('id', 'in', (inner) =>
      inner.selectFrom('firewall_members').select('firewall_id').where('vm_id', '=', vmId),
    )
    .orderBy('id')
    .execute();
}

/** Which firewalls a machine has; `interface_id` is null for those of all its interfaces. */
export function membershipsOf(
  db: Db,
  vmId: string,
): Promise<{ firewall_id: string; interface_id: string | null }[]> {
  return db
    .selectFrom('firewall_members')
    .select(['firewall_id', 'interface_id'])
    .distinct()
    .where('vm_id', '=', vmId)
    .orderBy('firewall_id')
    .execute();
}

/** The ids of the firewalls of an interface, to be read in the same query. */
export const firewallIdsOf = (vm: string, nic: string) =>
  sql<string[]>`(
    select coalesce(json_agg(distinct m.firewall_id), '[]') from firewall_members m
    where m.vm_id = ${sql.ref(vm)} and (m.interface_id is null or m.interface_id = ${sql.ref(nic)}))`;

type SomeLabels = Readonly<Record<string, string>>;

/** The firewalls whose selectors match one of the two sets of labels, but not the other. */
export async function selectedOtherwise(
  db: Db,
  accountId: string,
  before: SomeLabels,
  after: SomeLabels,
): Promise<string[]> {
  const rows = await db
    .selectFrom('firewall_attachments')
    .select(['firewall_id', 'terms'])
    .where('account_id', '=', accountId)
    .where('terms', 'is not', null)
    .execute();
  const differing = rows.filter(
    ({ terms }) => matchesLabels(terms ?? [], before) !== matchesLabels(terms ?? [], after),
  );
  return [...new Set(differing.map((row) => row.firewall_id))].sort();
}

/** The firewalls that are attached to the machine, or to an interface of it, by its id. */
export function attachedTo(
  db: Db,
  target: { readonly vmId: string } | { readonly networkId: string },
): Promise<{ id: string; name: string }[]> {
  const isTarget =
    'vmId' in target
      ? sql<boolean>`(a.vm_id = ${target.vmId} or a.interface_id = any(array(
          select i.id from vm_interfaces i where i.vm_id = ${target.vmId})))`
      : sql<boolean>`a.network_id = ${target.networkId}`;
  return db
    .selectFrom('firewall_attachments as a')
    .innerJoin('firewalls as f', 'f.id', 'a.firewall_id')
    .select(['f.id', 'f.name'])
    .distinct()
    .where(isTarget)
    .orderBy('f.id')
    .execute();
}

/** Whether a machine has no other attachment of any firewall than this one. */
export async function isLastOfSome(db: Db, attachmentId: string, firewallId: string): Promise<boolean> {
  const { rows } = await sql<{ is_last: boolean }>`
    select exists (
      select from firewall_members m where m.firewall_id = ${firewallId} and m.attachment_id = ${attachmentId}
        and (select count(*) from firewall_members o
          where o.vm_id = m.vm_id and o.attachment_id <> ${attachmentId}) = 0
    ) as is_last`.execute(db);
  return rows[0]?.is_last === true;
}
