import { type Expression, type Generated, type Selectable, sql } from 'kysely';
import type { Db, Tables, Tx } from '../store/database.ts';
import type { TemplateName } from './templates.ts';

/** Notifies the workers that a mail was written or is due at once. */
export const MAILS_CHANNEL = 'hostplane_mails';

export type MailStatus = 'queued' | 'sent' | 'failed';

interface MailsTable {
  id: string;
  recipient: string;
  /** A template, or the name of a request (`requests.ts`). */
  template: string;
  /** What the template needs, in JSON. It may contain a one-time token, so it is null once the mail was sent. */
  data: unknown;
  status: Generated<MailStatus>;
  /** Counted when an attempt begins. */
  attempts: Generated<number>;
  /** Null when nothing more is tried. */
  next_attempt_at: Date | null;
  last_error: string | null;
  lease_owner: string | null;
  lease_until: Date | null;
  created_at: Generated<Date>;
  finished_at: Date | null;
}

declare module '../store/database.ts' {
  interface Tables {
    mails: MailsTable;
  }
}

/** Locks the recipient until the commit, so that two transactions never count at the same time. */
export async function countRecent(tx: Tx, to: string, names: readonly TemplateName[]): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('mail to ' || lower(${to}), 0))`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from mails
    where lower(recipient) = lower(${to}) and created_at > clock_timestamp() - interval '1 hour'
      and template = any(${names}::text[])`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function insertMail(
  tx: Tx,
  mail: {
    readonly id: string;
    readonly recipient: string;
    readonly template: string;
    readonly data: string;
  },
): Promise<void> {
  await sql`
    with written as (
      insert into mails (id, recipient, template, data, next_attempt_at)
      values (${mail.id}, ${mail.recipient}, ${mail.template}, ${mail.data}::jsonb, clock_timestamp()) returning id)
    select pg_notify(${MAILS_CHANNEL}, id) from written`.execute(tx);
}

export type MailRow = Selectable<Tables['mails']>;

/** Null uses the database's clock. */
const at = (now: Date | null): Expression<Date> =>
  now === null ? sql<Date>`clock_timestamp()` : sql<Date>`${now}::timestamptz`;

/** Claims due mails for this owner, until the lease expires. Mails that another worker is claiming are skipped. */
export async function claimDue(
  db: Db,
  claim: {
    readonly owner: string;
    readonly leaseSeconds: number;
    readonly limit: number;
    readonly now: Date | null;
  },
): Promise<MailRow[]> {
  const { owner, leaseSeconds, limit, now } = claim;
  const { rows } = await sql<MailRow>`
    update mails set lease_owner = ${owner}, lease_until = ${at(now)} + ${leaseSeconds} * interval '1 second',
      attempts = attempts + 1
    where id in (
      select id from mails
      where status = 'queued' and next_attempt_at <= ${at(now)} and (lease_until is null or lease_until <= ${at(now)})
      order by next_attempt_at, id limit ${limit} for update skip locked)
    returning *`.execute(db);
  return rows;
}

/** Milliseconds until a mail is due or a lease expires; null if no mail is queued. */
export async function nextDue(db: Db, now: Date | null): Promise<number | null> {
  const { rows } = await sql<{ wait: number | null }>`
    select extract(epoch from min(greatest(next_attempt_at, lease_until)) - ${at(now)})::float8 * 1000 as wait
    from mails where status = 'queued'`.execute(db);
  return rows[0]?.wait ?? null;
}

/** Returns false if another worker holds the mail by now; then nothing was written. */
export async function endSent(db: Db, id: string, owner: string, now: Date | null): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mails set status = 'sent', data = null, finished_at = ${at(now)}, next_attempt_at = null,
      last_error = null, lease_owner = null, lease_until = null
    where id = ${id} and status = 'queued' and lease_owner = ${owner}`.execute(db);
  return numAffectedRows === 1n;
}

/** Returns false if another worker holds the mail by now; then nothing was removed. */
export async function removeClaimed(tx: Tx, id: string, owner: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from mails where id = ${id} and status = 'queued' and lease_owner = ${owner}`.execute(tx);
  return numAffectedRows === 1n;
}

/** `waitSeconds` is null if nothing more is tried. */
export async function endTried(
  db: Db,
  id: string,
  owner: string,
  outcome: { readonly error: string; readonly waitSeconds: number | null; readonly now: Date | null },
): Promise<void> {
  const { error, waitSeconds, now } = outcome;
  await sql`
    update mails set last_error = ${error}, lease_owner = null, lease_until = null,
      status = ${waitSeconds === null ? 'failed' : 'queued'},
      next_attempt_at = ${waitSeconds === null ? null : sql`${at(now)} + ${waitSeconds} * interval '1 second'`},
      finished_at = ${waitSeconds === null ? at(now) : null}
    where id = ${id} and status = 'queued' and lease_owner = ${owner}`.execute(db);
}

/** Gives back all leases of this owner, so that other workers can send the mails at once. */
export async function giveBack(db: Db, owner: string): Promise<void> {
  await sql`
    update mails set lease_owner = null, lease_until = null
    where lease_owner = ${owner} and status = 'queued'`.execute(db);
}

/** Never the data: it may contain one-time tokens. */
const SHOWN = [
  'id',
  'recipient',
  'template',
  'status',
  'attempts',
  'next_attempt_at',
  'last_error',
  'created_at',
  'finished_at',
] as const;
export type ShownMail = Pick<MailRow, (typeof SHOWN)[number]>;

/** The newest first. */
export async function listMails(
  db: Db,
  { status, limit }: { readonly status?: MailStatus; readonly limit: number },
): Promise<ShownMail[]> {
  let query = db.selectFrom('mails').select(SHOWN).orderBy('id', 'desc').limit(limit);
  if (status !== undefined) query = query.where('status', '=', status);
  return query.execute();
}

export async function findMail(db: Db, id: string): Promise<ShownMail | undefined> {
  return db.selectFrom('mails').select(SHOWN).where('id', '=', id).executeTakeFirst();
}

/** Makes a mail due now that waits or has failed. Returns false if it was sent, or if there is none. */
export async function queueAgain(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with queued as (
      update mails set status = 'queued', attempts = 0, next_attempt_at = clock_timestamp(), finished_at = null
      where id = ${id} and status <> 'sent' returning id)
    select id, pg_notify(${MAILS_CHANNEL}, id) from queued`.execute(db);
  return rows.length === 1;
}
