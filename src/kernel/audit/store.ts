import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { type AuditEntry, type AuditOutcome, canonicalJson, chainHash } from './entry.ts';

export interface AuditRow {
  readonly sequence: number;
  readonly entry: AuditEntry;
  readonly prev_hash: Buffer;
  readonly hash: Buffer;
}

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

declare module '../../store/database.ts' {
  interface Tables {
    audit_entries: AuditEntriesTable;
    audit_heads: { account_id: string; sequence: number; hash: Buffer };
  }
}

export async function openChain(db: Db, accountId: string): Promise<void> {
  await sql`insert into audit_heads (account_id) values (${accountId}) on conflict do nothing`.execute(db);
}

/** In the transaction of what it tells of. Takes the head of the account's chain last, so the row is held briefly. */
export async function append(db: Db, accountId: string, entry: AuditEntry): Promise<void> {
  const text = canonicalJson(entry);
  const { actor, resource } = entry;
  const { numAffectedRows } = await sql`
    with old as (select sequence, hash from audit_heads where account_id = ${accountId} for update),
    head as (
      update audit_heads h set sequence = old.sequence + 1, hash = sha256(old.hash || convert_to(${text}, 'UTF8'))
      from old where h.account_id = ${accountId}
      returning h.sequence, h.hash, old.hash as prev_hash)
    insert into audit_entries (account_id, sequence, id, occurred_at, actor_id, action, resource_id, outcome, entry, prev_hash, hash)
    select ${accountId}, head.sequence, ${entry.id}, ${entry.occurred_at}::timestamptz,
           ${actor.api_key_id ?? actor.member_id}, ${entry.action}, ${resource?.id ?? null}, ${entry.outcome},
           ${text}::jsonb, head.prev_hash, head.hash
    from head`.execute(db);
  if (numAffectedRows !== 1n) throw new Error(`The account ${accountId} has no audit chain to append to.`);
}

/** The sequence of the first entry that does not follow from the one before it, or null when the chain is whole. */
export async function findBreak(db: Db, accountId: string): Promise<number | null> {
  const head = await db
    .selectFrom('audit_heads')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  let expected: { sequence: number; hash: Buffer } | undefined;
  for (let after = 0; ; ) {
    const { rows } = await sql<AuditRow>`
      select sequence, entry, prev_hash, hash from audit_entries
      where account_id = ${accountId} and sequence > ${after} order by sequence limit 1000`.execute(db);
    for (const row of rows) {
      // Old entries leave after 400 days, so the oldest one kept may start anywhere; from there on nothing may be missing.
      const follows =
        expected === undefined ||
        (row.sequence === expected.sequence + 1 && row.prev_hash.equals(expected.hash));
      if (!follows || !chainHash(row.prev_hash, row.entry).equals(row.hash)) return row.sequence;
      expected = row;
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.sequence;
  }
  const isWhole = head === undefined || head.sequence === (expected?.sequence ?? 0);
  return isWhole ? null : (expected?.sequence ?? 0) + 1;
}
