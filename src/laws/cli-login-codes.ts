/** The code that allowCliLogin gives, with which a command line gets a key. */
import type { Db } from '../store/database.ts';
import { createAccount } from '../testing/accounts.ts';
import type { TestApp } from '../testing/app.ts';
import { allowLogin } from '../testing/cli-login.ts';
import { Browser, createPerson, createSession, joinAccount } from '../testing/people.ts';
import {
  type ActBearer,
  type Ending,
  endingsOfSessions,
  type Given,
  outcomes,
  recovery,
} from './handed-by-acts.ts';

interface GivenCode extends Given {
  readonly db: Db;
  readonly accountId: string;
  readonly memberId: string;
  readonly grant: { readonly code: string; readonly verifier: string };
}

async function giveCode(app: TestApp): Promise<GivenCode> {
  const { db } = app.services;
  const { id: accountId } = await createAccount(db);
  const person = await createPerson(db);
  const memberId = await joinAccount(db, person, accountId, 'admin');
  const browser = new Browser(app, await createSession(db, person));
  const grant = await allowLogin(browser, accountId);
  const use = () => outcomes(new Browser(app).post('/cli-logins/complete', grant));
  return { app, db, accountId, memberId, person, browser, grant, use };
}

const ofCode = (title: string, take: (given: GivenCode) => Promise<unknown>): Ending => ({
  title,
  take: (given) => take(given as GivenCode),
});

const setMember = (set: { role?: 'billing'; status?: 'suspended' }) => (given: GivenCode) =>
  given.db.updateTable('members').set(set).where('id', '=', given.memberId).execute();
const setAccount = (set: { status?: 'closed'; mfa_required?: true }) => (given: GivenCode) =>
  given.db.updateTable('accounts').set(set).where('id', '=', given.accountId).execute();

export const cliLoginCode: ActBearer = {
  title: 'the code that allowCliLogin gives',
  acts: ['allowCliLogin'],
  keptIn: ['one_time_tokens.hash'],
  give: giveCode,
  endings: [
    ...endingsOfSessions,
    recovery,
    ofCode('a wrong verifier', ({ app, grant }) =>
      new Browser(app).post('/cli-logins/complete', { ...grant, verifier: 'A'.repeat(43) }),
    ),
    ofCode('its expiry', ({ db, person }) =>
      db
        .updateTable('one_time_tokens')
        .set({ expires_at: new Date(0) })
        .where('person_id', '=', person.id)
        .execute(),
    ),
    ofCode('a role that may own no keys', setMember({ role: 'billing' })),
    ofCode('the suspension of the member', setMember({ status: 'suspended' })),
    ofCode('the removal of the member', ({ db, memberId }) =>
      db.deleteFrom('members').where('id', '=', memberId).execute(),
    ),
    ofCode('the end of the account', setAccount({ status: 'closed' })),
    ofCode('a second factor that the account requires', setAccount({ mfa_required: true })),
  ],
};
