import { sql } from 'kysely';
import { matchesLabels } from '../../../kernel/pages/label-selector.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import type { AttachmentRow, FirewallRow } from './table.ts';

export const { read: readFirewall } = rowsOf('firewalls');

/** A list for a column of type jsonb as text: the driver would write an array of PostgreSQL. */
export const jsonOf = <T>(value: T): T => JSON.stringify(value) as unknown as T;

/** An attachment as the queries of this file return it. */
export interface CountedAttachment {
  readonly id: string;
  readonly vm_id: string | null;
  readonly interface_id: string | null;
  /** The machine of the interface. */
  readonly interface_vm: string | null;
  readonly network_id: string | null;
  readonly selector: string | null;
  readonly vm_count: number;
  readonly created_at: string;
}

const attached = sql<readonly CountedAttachment[]>`(
  select coalesce(json_agg(json_build_object('id', a.id, 'vm_id', a.vm_id, 'interface_id', a.interface_id,
    'interface_vm', (select i.vm_id from vm_interfaces i where i.id = a.interface_id), 'network_id', a.network_id, 'selector', a.selector, 'created_at', a.created_at,
    'vm_count', (select count(distinct m.vm_id) from firewall_members m
      where m.firewall_id = a.firewall_id and m.attachment_id = a.id)) order by a.id), '[]')
  from firewall_attachments a where a.firewall_id = firewalls.id)`;
const vmCount = sql<number>`(
  select count(distinct m.vm_id)::int from firewall_members m where m.firewall_id = firewalls.id)`;

/** What answers show beside the columns of the row. */
export const firewallParts = { attached, vm_count: vmCount };

/** The condition of a list: firewalls of the machine. */
export const appliesTo = (accountId: string, vmId: string) => sql<boolean>`firewalls.id = any(array(
  select m.firewall_id from firewall_members m
  where m.vm_id = ${vmId} and m.account_id = ${accountId}))`;

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

/** How many entries the rules of all firewalls of the account are. */
export async function countEntries(db: Db, accountId: string): Promise<number> {
  const { total } = await db
    .selectFrom('firewalls')
    .select(sql<number>`coalesce(sum(entries), 0)::int`.as('total'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return total;
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
  readonly interface_vm: string | null;
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
      'i.vm_id as interface_vm',
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

export async function nextRevision(db: Db): Promise<number> {
  const { rows } = await sql<{ revision: string }>`
    select nextval('firewall_revisions') as revision`.execute(db);
  return Number(rows[0]?.revision);
}

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
