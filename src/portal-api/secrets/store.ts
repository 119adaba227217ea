import { sql } from 'kysely';
import type { Db, Tx } from '../../store/database.ts';

/** Accounts with sealed secrets. */
export async function accountsWithSecrets(db: Db): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select distinct w.account_id from webhooks w join accounts a on a.id = w.account_id and a.status <> 'closed'
    order by w.account_id`.execute(db);
  return rows.map(({ account_id }) => account_id);
}

export async function lockWebhooks(tx: Tx, accountId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from webhooks where account_id = ${accountId} order by id for update`.execute(tx);
  return rows;
}

/** The secrets of one-time password apps cannot be read any more. Returns the people who lose theirs. */
export async function forgetTotpSecrets(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update people set totp_secret = null, totp_pending = null, totp_enabled_at = null, updated_at = now()
    where totp_secret is not null or totp_pending is not null returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Disables the webhook until its owner requests a new secret. Pending deliveries are discarded, because they
 * would be signed with a secret that the receiver does not have.
 */
export async function replaceSecret(tx: Tx, webhookId: string, sealed: Buffer): Promise<void> {
  await sql`
    update webhooks set secret = ${sealed}, previous_secret = null, previous_secret_until = null,
      status = 'disabled', enabled = false, disabled_reason = coalesce(disabled_reason, 'manual'),
      version = version + 1, updated_at = now() where id = ${webhookId}`.execute(tx);
  await sql`
    update webhook_deliveries set status = 'discarded', finished_at = now(), next_attempt_at = null
    where webhook_id = ${webhookId} and status = 'pending'`.execute(tx);
}
