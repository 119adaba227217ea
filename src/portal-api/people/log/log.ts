/** The log of a person: sign-ins and changes to what the person signs in with. The person reads it, and nobody else. */
import { newId } from '../../../kernel/ids.ts';
import type { Db } from '../../../store/database.ts';
import type { RequestContext } from '../request-context.ts';
import { findPersonEvents, foldPersonEvent, insertPersonEvent, type PersonEventRow } from './store.ts';

export type PersonEventType =
  | 'signed_up'
  | 'signed_in'
  | 'signed_out'
  | 'reauthenticated'
  | 'profile_changed'
  | 'password_changed'
  | 'totp_added'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_replaced'
  | 'recovery_waits'
  | 'recovered'
  | 'session_ended'
  | 'sessions_ended'
  | 'second_factor_reset';

/** The part of the request that the log needs; staff at the command line has none. */
type Place = Pick<RequestContext, 'clientIp' | 'userAgent' | 'requestId'> | null;

export async function logPerson(
  db: Db,
  context: Place,
  personId: string,
  type: PersonEventType,
  data: object = {},
): Promise<void> {
  const { clientIp = null, userAgent = null, requestId = null } = context ?? {};
  await insertPersonEvent(db, { personId, type, clientIp, userAgent, requestId, data });
}

/** Wrong guesses of a quarter of an hour are one entry with a count. `personId` is null for an unknown address. */
export async function logGuess(
  db: Db,
  context: RequestContext,
  personId: string | null,
  method: string,
): Promise<void> {
  const { clientIp, userAgent, requestId } = context;
  await foldPersonEvent(db, {
    id: newId('person_event'),
    count: 1,
    personId: personId ?? '',
    type: 'sign_in_failed',
    clientIp,
    userAgent,
    requestId,
    data: { method },
  });
}

const PAGE = 50;

export interface Activity {
  readonly data: readonly PersonEventRow[];
  readonly nextCursor: string | null;
}

export async function listActivity(db: Db, personId: string, cursor: string | null): Promise<Activity> {
  const rows = await findPersonEvents(db, personId, cursor, PAGE + 1);
  const data = rows.slice(0, PAGE);
  return { data, nextCursor: rows.length > PAGE ? (data.at(-1)?.id ?? null) : null };
}
