import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { retireEntries } from '../audit/store.ts';
import { removeExpiredLinks } from '../downloads/store.ts';
import { retireEvents } from '../events/store.ts';
import { forgetOld } from '../idempotency/store.ts';
import { removeExpiredRehearsals } from '../rehearsals/store.ts';

const LOCK = 0x686f7374;

/** Deletes all rows whose retention time is over. If another process is already at it, it returns at once. */
export async function forgetWhatExpired(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as mine`.execute(
      tx,
    );
    if (rows[0]?.mine !== true) return;
    await forgetOld(tx);
    await sql`delete from key_denials where last_at < now() - interval '30 days'`.execute(tx);
    await sql`
      delete from key_denials d using (
        select id, row_number() over (partition by account_id order by id desc) as place from key_denials) ranked
      where d.id = ranked.id and ranked.place > 10000`.execute(tx);
    await sql`delete from key_denial_drops where day < current_date - 30`.execute(tx);
    await sql`delete from operations where finished_at < now() - interval '30 days'`.execute(tx);
    await sql`
      delete from webhook_deliveries
      where created_at < now() - interval '30 days' and status <> 'pending'`.execute(tx);
    await sql`delete from mails where created_at < now() - interval '30 days' and status <> 'queued'`.execute(
      tx,
    );
    await sql`delete from key_addresses where last_used_at < now() - interval '90 days'`.execute(tx);
    // Claims of processes that ended before they released them.
    await sql`delete from claims where until < now()`.execute(tx);
    // Kept for a day, so that the portal can say why a session has ended.
    await sql`
      delete from sessions
      where expires_at < now() - interval '1 day' or last_seen_at < now() - interval '36 hours'`.execute(tx);
    await removeExpiredLinks(tx);
    await removeExpiredRehearsals(tx);
    await sql`delete from one_time_tokens where expires_at < now() - interval '1 day'`.execute(tx);
    await sql`delete from sign_in_attempts where at < now() - interval '1 hour'`.execute(tx);
    await sql`delete from person_events where last_at < now() - interval '400 days'`.execute(tx);
    await retireEvents(tx);
    await retireEntries(tx);
    // Usage can be queried 400 days back, rounded down to the first day of that month.
    await sql`delete from meter_spans where ended_at < now() - interval '435 days'`.execute(tx);
    await sql`delete from meter_readings where day < current_date - 435`.execute(tx);
    // Carries count in all later months, so their sums stay.
    await sql`
      delete from meter_totals
      where kind <> 'carry' and month < date_trunc('month', now() - interval '435 days')`.execute(tx);
    await sql`
      delete from meter_entries e
      where month < date_trunc('month', now() - interval '435 days') and is_folded and (kind <> 'carry'
        or not exists (select from meter_spans s where s.resource_id = e.resource_id))`.execute(tx);
    await sql`
      delete from api_keys where coalesce(revoked_at, expires_at) < now() - interval '400 days'`.execute(tx);
  });
}
