import type { Generated } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tx } from '../store/database.ts';
import type { TemplateName } from './templates.ts';

/** Notifies the workers that a mail was written or is due at once. */
export const MAILS_CHANNEL = 'hostplane_mails';

export type MailStatus = 'queued' | 'sent' | 'failed';

interface MailsTable {
  id: string;
  recipient: string;
  template: TemplateName;
  /** What the template needs, in JSON. It may contain a one-time token, so it is null once the mail was sent. */
  data: unknown;
  status: Generated<MailStatus>;
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
    readonly template: TemplateName;
    readonly data: string;
  },
): Promise<void> {
  await sql`
    with written as (
      insert into mails (id, recipient, template, data, next_attempt_at)
      values (${mail.id}, ${mail.recipient}, ${mail.template}, ${mail.data}::jsonb, clock_timestamp()) returning id)
    select pg_notify(${MAILS_CHANNEL}, id) from written`.execute(tx);
}
