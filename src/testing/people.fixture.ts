/** Somebody who is signed in and has entered the account, and somebody who is invited to it. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '../kernel/ids.ts';
import type { Fixture } from '../laws/fixture.ts';
import { createMember } from './accounts.ts';
import { createPerson, createSession, joinAccount } from './people.ts';

export const fixture: Fixture = {
  async fillOnce({ app, account }, mark) {
    const { db } = app.services;
    const person = await createPerson(db);
    await joinAccount(db, person, account.id, 'viewer');
    await createSession(db, person);
    await sql`
      insert into session_accounts (session_id, account_id)
      select id, ${account.id} from sessions where person_id = ${person.id}`.execute(db);
    await db
      .insertInto('invitations')
      .values({
        id: newId('invitation'),
        account_id: account.id,
        member_id: await createMember(db, account.id, 'viewer'),
        token_hash: Buffer.from(hash('sha256', newId('invitation')), 'hex'),
        invited_by: person.id,
        inviter_name: `${mark} inviter`,
        expires_at: new Date(Date.now() + 3_600_000),
      })
      .execute();
    return undefined;
  },
};
