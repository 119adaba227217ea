import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** What the columns are for that hold ids of API keys. `src/laws/key-ids.test.ts` finds a column that does not say it. */
const comments: Readonly<Record<string, string>> = {
  'api_keys.id': 'API key fact: the key itself',
  'api_keys.replaced_by': 'API key fact: the next key of the chain',
  'api_keys.first_key_id': 'API key fact: the first key of the chain',
  'api_keys.lineage': 'API key fact: the first key of the chain, or the key itself',
  'approvals.key_id': 'API key rule: the replacement of the key may use the approval',
  'approvals.path': 'API key fact: the path of the call',
  'audit_entries.actor_id': 'API key fact: who made the call',
  'audit_entries.resource_id': 'API key fact: what the call changed',
  'audit_entries.entry': 'API key fact: who made the call, and what it changed',
  'budgets.scope': 'API key rule: the replacement of a key spends from the same budget',
  'console_sessions.api_key_id': 'API key fact: the console ends with the key that opened it',
  'event_streams.key_id': 'API key fact: who holds the connection',
  'events.resource_id': 'API key fact: what the event is about',
  'events.actor': 'API key rule: the replacement of the key sees the events of its operations',
  'events.data': 'API key fact: what happened',
  'idempotency_keys.body': 'API key fact: the answer that was given',
  'key_addresses.key_id': 'API key fact: from where the key was used',
  'key_denials.key_id': 'API key fact: whose call was refused',
  'meter_readings.api_key_id': 'API key fact: which key created the resource',
  'meter_spans.api_key_id': 'API key fact: which key created the resource',
  'operations.actor': 'API key fact: who made the call',
  'operations.api_key_id': 'API key rule: the replacement of the key may read and cancel the operation',
  'resources.api_key_id': 'API key fact: which key created the resource',
};

/**
 * The lineage of a key: the id of the first key in its chain of replacements. All keys of a chain share it, so that rules
 * about one of them find the others without walking the chain.
 */
export async function up(db: Db): Promise<void> {
  await sql`alter table api_keys add column first_key_id text collate "C"`.execute(db);
  await sql`
    with recursive chain as (
      select k.id, k.id as first_id, k.replaced_by from api_keys k
      where not exists (select from api_keys earlier where earlier.replaced_by = k.id)
      union all
      select k.id, chain.first_id, k.replaced_by from chain join api_keys k on k.id = chain.replaced_by)
    update api_keys k set first_key_id = chain.first_id
    from chain where chain.id = k.id and chain.first_id <> k.id`.execute(db);
  await sql`
    alter table api_keys add column lineage text collate "C" not null
      generated always as (coalesce(first_key_id, id)) stored`.execute(db);
  await sql`create index api_keys_by_lineage on api_keys (lineage)`.execute(db);
  for (const [column, comment] of Object.entries(comments))
    await sql`comment on column ${sql.ref(column)} is ${sql.lit(comment)}`.execute(db);
}
