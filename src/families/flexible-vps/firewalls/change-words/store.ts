import { type RawBuilder, sql } from 'kysely';
import { MOST_COUNTED } from '../../../../kernel/change-words/change-words.ts';
import { parseLabelSelector } from '../../../../kernel/pages/label-selector.ts';
import type { Db } from '../../../../store/database.ts';
import type { FirewallAttachment } from '../schema.ts';
import type { FirewallRow } from '../table.ts';

export type Target = FirewallAttachment['target'];

/**
 * Which machines a call gives or takes firewalls, compared with the rows as the call has left them. A firewall whose
 * rules or defaults the call changed is `about`: its machines have the same firewalls as before.
 */
export type Regrouping =
  | { readonly about: string }
  | { readonly deleted: string }
  | {
      readonly changed: string;
      readonly added: readonly Target[];
      readonly removed: readonly Target[];
    }
  | {
      readonly vmId: string;
      /** The attachments by labels that cover the machine only since the call. */
      readonly newAttachments: readonly string[];
      /** The firewalls that the machine had by its former labels. */
      readonly formerFirewalls: readonly string[];
    };

/** Interfaces with the same firewalls before the call, and the same after it. */
export interface Regrouped {
  readonly had: readonly string[];
  readonly has: readonly string[];
  /** The ids of their machines. */
  readonly machines: readonly string[];
}

/** More groups are not compared one by one. */
export const MOST_GROUPS = 20;

const keyOf = (target: Target): string => (target.type === 'label_selector' ? target.selector : target.id);

/** Whether an attachment to the target covers the interface `i` of the machine `v`. */
function covers(target: Target): RawBuilder<boolean> {
  switch (target.type) {
    case 'vm':
      return sql`v.id = ${target.id}`;
    case 'interface':
      return sql`coalesce(i.id = ${target.id}, false)`;
    case 'network':
      return sql`coalesce(i.network_id = ${target.id}, false)`;
    case 'label_selector':
      return sql`labels_match(v.labels, ${JSON.stringify(parseLabelSelector(target.selector))}::jsonb)`;
  }
}

const anyOf = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;

interface Queried {
  /** The ids of the machines that the call may concern. */
  readonly machines: RawBuilder<unknown>;
  readonly newAttachments: RawBuilder<unknown>;
  /** Firewalls that covered an interface before, if `had` is true of it. */
  readonly former: readonly string[];
  readonly had: RawBuilder<boolean>;
  readonly about: string | null;
  readonly deleted: string | null;
}

/** Each way to find the machines of a target uses an index; one condition for all targets would read all machines. */
function machinesOf(target: Target, accountId: string): RawBuilder<unknown> {
  switch (target.type) {
    case 'vm':
      return sql`select v.id as vm_id from vms v where v.account_id = ${accountId} and v.id = ${target.id}`;
    case 'interface':
      return sql`select i.vm_id from vm_interfaces i where i.account_id = ${accountId} and i.id = ${target.id}`;
    case 'network':
      return sql`select i.vm_id from vm_interfaces i
        where i.account_id = ${accountId} and i.network_id = ${target.id}`;
    case 'label_selector':
      return sql`select v.id as vm_id from vms v where v.account_id = ${accountId} and ${covers(target)}`;
  }
}

const anyMachineOf = (targets: readonly Target[], accountId: string): RawBuilder<unknown> =>
  sql.join(
    targets.map((target) => machinesOf(target, accountId)),
    sql` union all `,
  );

function queried(change: Regrouping, accountId: string): Queried {
  const none = { newAttachments: sql`'{}'::text[]`, former: [], had: sql<boolean>`false` };
  const membersOf = (id: string) => sql`select vm_id from firewall_members where firewall_id = ${id}`;
  if ('about' in change)
    return { ...none, machines: membersOf(change.about), about: change.about, deleted: null };
  if ('deleted' in change)
    return { ...none, machines: membersOf(change.deleted), about: null, deleted: change.deleted };
  if ('vmId' in change)
    return {
      machines: sql`select ${change.vmId} as vm_id`,
      newAttachments: sql`${[...change.newAttachments]}::text[]`,
      former: change.formerFirewalls,
      had: sql`true`,
      about: null,
      deleted: null,
    };
  const { changed, added, removed } = change;
  return {
    machines: anyMachineOf([...added, ...removed], accountId),
    newAttachments: sql`array(
      select a.id from firewall_attachments a where a.firewall_id = ${changed}
        and coalesce(a.vm_id, a.interface_id, a.network_id, a.selector) = any(${added.map(keyOf)}::text[]))`,
    former: [changed],
    had: anyOf(removed.map(covers)),
    about: null,
    deleted: null,
  };
}

/** A firewall that is being deleted counts as gone already. */
export async function readRegrouped(
  db: Db,
  accountId: string,
  change: Regrouping,
): Promise<{ readonly groups: readonly Regrouped[]; readonly isComplete: boolean }> {
  const { machines, newAttachments, former, had, about, deleted } = queried(change, accountId);
  const { rows } = await sql<Partial<Regrouped> & { readonly found: number }>`
    with found as materialized (select vm_id from (${machines}) found limit ${MOST_COUNTED + 1}),
    concerned as materialized (select distinct vm_id from found),
    members as materialized (
      select m.* from concerned c cross join lateral (
        select * from firewall_members where vm_id = c.vm_id and account_id = ${accountId} offset 0) m
      join firewalls f on f.id = m.firewall_id
      where f.status <> 'deleting' or f.id = ${deleted}),
    interfaces as (
      select v.id as vm_id, i.id, ${had} as had
      from concerned c join vms v on v.id = c.vm_id left join vm_interfaces i on i.vm_id = v.id),
    sets as (
      select i.vm_id,
        array(select distinct had.id collate "C" from unnest(
          array_agg(m.firewall_id) filter (where m.firewall_id is not null and not m.attachment_id = any(${newAttachments}))
          || case when i.had then ${[...former]}::text[] end) had (id) order by 1) as had,
        array(select distinct has.id collate "C" from unnest(
          array_agg(m.firewall_id) filter (where m.firewall_id is not null and m.firewall_id is distinct from ${deleted})) has (id)
          order by 1) as has
      from interfaces i left join members m
        on m.vm_id = i.vm_id and (m.interface_id is null or m.interface_id = i.id)
      group by i.vm_id, i.id, i.had)
    select counted.found, g.had, g.has, g.machines from (select count(*)::int as found from found) counted
    left join (
      select had, has, array_agg(distinct vm_id) as machines, count(*) as size from sets
      where had <> has or ${about}::text = any(has)
      group by had, has order by size desc, had, has limit ${MOST_GROUPS + 1}) g on true
    order by g.size desc, g.had, g.has`.execute(db);
  const groups = rows.flatMap(({ had: old, has: now, machines: vms }) =>
    old == null || now == null ? [] : [{ had: old, has: now, machines: vms ?? [] }],
  );
  const isComplete = groups.length <= MOST_GROUPS && (rows[0]?.found ?? 0) <= MOST_COUNTED;
  return { groups: groups.slice(0, MOST_GROUPS), isComplete };
}

export type NamedSettings = Pick<FirewallRow, 'id' | 'name' | 'default_in' | 'default_out' | 'rules'>;

export function readSettings(db: Db, ids: readonly string[]): Promise<NamedSettings[]> {
  return db
    .selectFrom('firewalls')
    .select(['id', 'name', 'default_in', 'default_out', 'rules'])
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute();
}

/** Machines that get or lose a firewall. */
export interface Moved {
  readonly firewallId: string;
  readonly machines: readonly string[];
}

export interface Naming extends Pick<FirewallRow, 'id' | 'rules'> {
  /** The firewall that the rules are about. */
  readonly about: string;
}

/** The firewalls with a rule about the machines of this one, which have machines besides those that move. */
const namingOf = ({ firewallId, machines }: Moved, accountId: string): RawBuilder<unknown> =>
  // `offset 0`: the rules of the account's firewalls are read first, of which a limit keeps few, and not its members.
  sql`(select ${firewallId}::text as about, f.id, f.rules from (
      select id, rules from firewalls where account_id = ${accountId} and status <> 'deleting'
        and rules @> ${JSON.stringify([{ remote_firewall_ids: [firewallId] }])}::jsonb offset 0) f
    where exists (
        select from firewall_members m
        where m.firewall_id = f.id and not m.vm_id = any(${[...machines]}::text[]))
    order by f.id limit ${MOST_GROUPS})`;

/** For each firewall that machines get or lose, the firewalls with a rule about its machines. */
export async function readNaming(db: Db, accountId: string, moved: readonly Moved[]): Promise<Naming[]> {
  const parts = moved.map((each) => namingOf(each, accountId));
  const { rows } = await sql<Naming>`
    select * from (${sql.join(parts, sql` union all `)}) naming order by about, id`.execute(db);
  return rows;
}

/** Another attachment of the firewall, and the machines of the targets that have the firewall by it. */
export interface OtherWay {
  readonly target: Target;
  readonly machines: readonly string[];
  readonly isComplete: boolean;
}

/** The attachments of the firewall besides these targets that cover the same machines. */
export async function readOtherWays(
  db: Db,
  accountId: string,
  firewallId: string,
  targets: readonly Target[],
): Promise<OtherWay[]> {
  const { rows } = await sql<OtherWay>`
    with found as materialized (
      select vm_id from (${anyMachineOf(targets, accountId)}) found limit ${MOST_COUNTED + 1})
    select case
        when a.vm_id is not null then jsonb_build_object('type', 'vm', 'id', a.vm_id)
        when a.interface_id is not null then jsonb_build_object('type', 'interface', 'id', a.interface_id)
        when a.network_id is not null then jsonb_build_object('type', 'network', 'id', a.network_id)
        else jsonb_build_object('type', 'label_selector', 'selector', a.selector) end as target,
      array_agg(distinct m.vm_id) as machines,
      (select count(*) from found) <= ${MOST_COUNTED} as "isComplete"
    from (select distinct vm_id from found) c
    cross join lateral (
      select * from firewall_members where vm_id = c.vm_id and account_id = ${accountId} offset 0) m
    join firewall_attachments a on a.id = m.attachment_id
    where m.firewall_id = ${firewallId}
      and not coalesce(a.vm_id, a.interface_id, a.network_id, a.selector) = any(${targets.map(keyOf)}::text[])
    group by a.id order by count(distinct m.vm_id) desc, a.id limit ${MOST_GROUPS}`.execute(db);
  return rows;
}

/** The attachments by labels in the account. */
export function readSelectors(db: Db, accountId: string) {
  return db
    .selectFrom('firewall_attachments as a')
    .innerJoin('firewalls as f', 'f.id', 'a.firewall_id')
    .select(['a.id', 'a.terms', 'a.firewall_id'])
    .where('a.account_id', '=', accountId)
    .where('a.terms', 'is not', null)
    .where('f.status', '<>', 'deleting')
    .orderBy('a.id')
    .execute();
}
