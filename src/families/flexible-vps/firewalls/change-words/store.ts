import { sql } from 'kysely';
import { type MachineCount, MOST_COUNTED } from '../../../../kernel/change-words/change-words.ts';
import type { Db } from '../../../../store/database.ts';
import type { FirewallAttachment } from '../schema.ts';

/** How many machines have the firewall. */
export async function countMachines(db: Db, firewallId: string): Promise<MachineCount> {
  const { rows } = await sql<MachineCount>`
    select count(distinct vm_id)::int as machines, count(*)::int as rows from (
      select vm_id from firewall_members where firewall_id = ${firewallId}
      limit ${MOST_COUNTED + 1}) counted`.execute(db);
  return rows[0] ?? { machines: 0, rows: 0 };
}

/** Whether a machine that the firewall covers by one of these attachments has another firewall, too. */
export async function isSharedBy(
  db: Db,
  firewallId: string,
  targets: readonly FirewallAttachment['target'][],
): Promise<boolean> {
  const keys = targets.map((target) => (target.type === 'label_selector' ? target.selector : target.id));
  const { rows } = await sql<{ is_shared: boolean }>`
    select exists (
      select from firewall_attachments a
      join firewall_members m on m.firewall_id = a.firewall_id and m.attachment_id = a.id
      cross join lateral (
        select from firewall_members o
        where o.vm_id = m.vm_id and o.account_id = a.account_id and o.firewall_id <> ${firewallId}
        offset 0) other
      where a.firewall_id = ${firewallId}
        and coalesce(a.vm_id, a.interface_id, a.network_id, a.selector) = any(${keys}::text[])
    ) as is_shared`.execute(db);
  return rows[0]?.is_shared === true;
}

/** The attachments by labels in the account, each with its firewall. */
export function readSelectors(db: Db, accountId: string) {
  return db
    .selectFrom('firewall_attachments as a')
    .innerJoin('firewalls as f', 'f.id', 'a.firewall_id')
    .select(['a.terms', 'f.name', 'f.default_in', 'f.default_out', 'f.rules'])
    .where('a.account_id', '=', accountId)
    .where('a.terms', 'is not', null)
    .orderBy('a.id')
    .execute();
}
