import { type Selectable, sql } from 'kysely';
import '../tables.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Db, Tables } from '../../../store/database.ts';

export type PersonEventRow = Selectable<Tables['person_events']>;

export interface PersonEvent {
  readonly personId: string;
  readonly type: string;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  readonly data?: object;
}

export async function insertPersonEvent(db: Db, event: PersonEvent): Promise<void> {
  await sql`
    insert into person_events (id, person_id, type, client_ip, user_agent, request_id, data)
    values (${newId('person_event')}, ${event.personId}, ${event.type}, ${event.clientIp}, ${event.userAgent},
      ${event.requestId}, ${JSON.stringify(event.data ?? {})}::jsonb)`.execute(db);
}

/**
 * Events of one type and quarter of an hour are one row with a count. For a person that does not exist nothing is
 * written, but the statement takes the same time.
 */
export interface GuessedEvent extends PersonEvent {
  readonly id: string;
  readonly count: number;
}

export async function foldPersonEvent(db: Db, event: GuessedEvent): Promise<void> {
  await sql`
    insert into person_events (id, count, person_id, type, client_ip, user_agent, request_id, data, fold)
    select ${event.id}, ${event.count}::int, p.id, ${event.type}, ${event.clientIp}, ${event.userAgent}, ${event.requestId},
      ${JSON.stringify(event.data ?? {})}::jsonb, floor(extract(epoch from clock_timestamp()) / 900)::bigint
    from people p where p.id = ${event.personId}
    on conflict (person_id, type, fold) where fold is not null
    do update set count = person_events.count + excluded.count, last_at = clock_timestamp(), client_ip = excluded.client_ip,
      user_agent = excluded.user_agent`.execute(db);
}

/** Newest first. */
export async function findPersonEvents(
  db: Db,
  personId: string,
  before: string | null,
  limit: number,
): Promise<PersonEventRow[]> {
  return db
    .selectFrom('person_events')
    .selectAll()
    .where('person_id', '=', personId)
    .$if(before !== null, (query) => query.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
