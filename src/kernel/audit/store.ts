import { type Selectable, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { sendLater } from '../../store/send-later.ts';
import { canonicalJson } from './canonical-json.ts';
import { type AuditEntry, type AuditOutcome, chainHash } from './entry.ts';

interface AuditEntriesTable {
  account_id: string;
  sequence: number;
  id: string;
  occurred_at: Date;
  actor_id: string | null;
  action: string;
  resource_id: string | null;
  outcome: AuditOutcome;
  entry: AuditEntry;
  prev_hash: Buffer;
  hash: Buffer;
}

interface AuditHeadsTable {
  account_id: string;
  sequence: number;
  hash: Buffer;
  retired_sequence: number;
  retired_hash: Buffer;
}

declare module '../../store/database.ts' {
  interface Tables {
    audit_entries: AuditEntriesTable;
    audit_heads: AuditHeadsTable;
  }
}

export async function openChain(db: Db, accountId: string): Promise<void> {
  await sql`insert into audit_heads (account_id) values (${accountId}) on conflict do nothing`.execute(db);
}

/**
 * Call it at the end of the audited transaction, because it locks the head of the account's chain until the commit. It
 * is sent with the commit. An account without a chain has no sequence to write, which fails.
 */
export async function append(db: Db, accountId: string, entry: AuditEntry): Promise<void> {
  const text = canonicalJson(entry);
  const { actor, resource } = entry;
  await sendLater(
    db,
    sql`
    with old as (select sequence, hash from audit_heads where account_id = ${accountId} for update),
    head as (
      update audit_heads h set sequence = old.sequence + 1, hash = sha256(old.hash || convert_to(${text}, 'UTF8'))
      from old where h.account_id = ${accountId}
      returning h.sequence, h.hash, old.hash as prev_hash)
    insert into audit_entries (account_id, sequence, id, occurred_at, actor_id, action, resource_id, outcome, entry, prev_hash, hash)
    select ${accountId}, head.sequence, ${entry.id}, ${entry.occurred_at}::timestamptz,
           ${actor.api_key_id ?? actor.member_id}, ${entry.action}, ${resource?.id ?? null}, ${entry.outcome},
           ${text}::jsonb, head.prev_hash, head.hash
    from (select) one left join head on true`,
  );
}

type Link = Pick<AuditEntriesTable, 'sequence' | 'hash'>;
/** Also compares the columns that lists filter by, because a changed copy would hide the entry from a filter. */
function isTrue(row: Selectable<AuditEntriesTable>, previous: Link): boolean {
  const { actor, resource, ...entry } = row.entry;
  return (
    row.sequence === previous.sequence + 1 &&
    row.prev_hash.equals(previous.hash) &&
    chainHash(row.prev_hash, row.entry).equals(row.hash) &&
    row.id === entry.id &&
    row.occurred_at.toISOString() === entry.occurred_at &&
    row.actor_id === (actor.api_key_id ?? actor.member_id) &&
    row.action === entry.action &&
    row.resource_id === (resource?.id ?? null) &&
    row.outcome === entry.outcome
  );
}

async function findStray(db: Db, accountId: string): Promise<number | null> {
  const { rows } = await sql<{ sequence: number | null }>`
    select min(sequence) as sequence from audit_entries where account_id = ${accountId}
      and sequence > coalesce((select sequence from audit_heads where account_id = ${accountId}), 0)`.execute(
    db,
  );
  return rows[0]?.sequence ?? null;
}

/**
 * Returns the sequence of the first entry that does not follow from the one before it, or null if the chain is intact.
 * It stops at the head that it read first, so it can run while others write.
 */
export async function findBreak(db: Db, accountId: string): Promise<number | null> {
  const head = await db
    .selectFrom('audit_heads')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (head === undefined) return findStray(db, accountId);
  let last: Link = { sequence: head.retired_sequence, hash: head.retired_hash };
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('sequence', '>', after)
      .where('sequence', '<=', head.sequence)
      .orderBy('sequence')
      .limit(1000)
      .execute();
    for (const row of rows) {
      if (!isTrue(row, last)) return row.sequence;
      last = row;
    }
    const end = rows.at(-1);
    if (end === undefined) break;
    after = end.sequence;
  }
  if (last.sequence < head.sequence) return last.sequence + 1;
  if (!last.hash.equals(head.hash)) return head.sequence;
  return findStray(db, accountId);
}

/** Deletes entries from the old end only, so that no gap appears. The head stores where the chain now begins. */
export async function retireEntries(db: Db): Promise<void> {
  await sql`
    with retired as (
      delete from audit_entries e where e.occurred_at < now() - interval '400 days'
        and not exists (select from audit_entries k where k.account_id = e.account_id and k.sequence < e.sequence
                        and k.occurred_at >= now() - interval '400 days')
      returning e.account_id, e.sequence, e.hash),
    newest as (select distinct on (account_id) * from retired order by account_id, sequence desc)
    update audit_heads h set retired_sequence = newest.sequence, retired_hash = newest.hash
    from newest where h.account_id = newest.account_id`.execute(db);
}
