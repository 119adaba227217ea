import type { Db } from '../../store/database.ts';
import { notFound } from '../portal-write.ts';
import { findPasskeys } from './passkeys/store.ts';
import { countCodes } from './recovery-codes/store.ts';
import { findSessions } from './sessions/store.ts';
import { findPerson, findWaysIn, type WaysIn } from './store.ts';

/** What the person signs in with, and where the person is signed in. `current` is the session that asks. */
export async function showSecurity(db: Db, personId: string, current: string | null) {
  const person = await findPerson(db, personId);
  if (person === undefined) throw notFound('person', personId);
  const passkeys = await findPasskeys(db, personId);
  const sessions = await findSessions(db, personId);
  return {
    password_set: person.password_hash !== null,
    totp: { enabled: person.totp_enabled_at !== null, since: person.totp_enabled_at },
    passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({
      id,
      name,
      created_at,
      last_used_at,
    })),
    recovery_codes: { left: await countCodes(db, personId) },
    sessions: sessions.map((session) => ({
      id: session.id,
      current: session.id === current,
      created_at: session.created_at,
      last_seen_at: session.last_seen_at,
      address: session.client_ip,
      user_agent: session.user_agent,
    })),
  };
}

/** Whether the person has a password, and whether there is a passkey. */
export const listWaysIn = (db: Db, personId: string): Promise<WaysIn> => findWaysIn(db, personId);
