/** People and their browsers, for tests of the portal. Rows are inserted directly, because acts are slow. */
import { randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import type { RoleName } from '../kernel/access/roles.ts';
import { newId } from '../kernel/ids.ts';
import { compose, isRequest } from '../mail/requests.ts';
import { mailComposers } from '../portal-api/people/mail-composers.ts';
import { hashPassword } from '../portal-api/people/passwords/hashing.ts';
import { insertSession } from '../portal-api/people/sessions/store.ts';
import { insertPerson, type PersonRow } from '../portal-api/people/store.ts';
import { hashOf } from '../portal-api/people/tokens/tokens.ts';
import type { Db } from '../store/database.ts';
import { createAccount, createMember, type TestAccount } from './accounts.ts';
import { freshAddress, type TestApp } from './app.ts';

export const PASSWORD = 'four unrelated words here';
export const ORIGIN = 'http://localhost:8080';

let hash: Promise<string> | undefined;

/** A person with the password `PASSWORD`. */
export async function createPerson(db: Db, values: Partial<PersonRow> = {}): Promise<PersonRow> {
  hash ??= hashPassword(PASSWORD);
  const id = newId('person');
  return db.transaction().execute(async (tx) =>
    insertPerson(tx, {
      id,
      name: `Person ${id.slice(-4)}`,
      email: `${id}@example.com`,
      password_hash: await hash!,
      ...values,
    }),
  );
}

/** Makes the person a member of the account and returns the id of the member. */
export async function joinAccount(
  db: Db,
  person: PersonRow,
  accountId: string,
  role: RoleName,
): Promise<string> {
  const id = await createMember(db, accountId, role);
  await db.updateTable('members').set({ person_id: person.id }).where('id', '=', id).execute();
  return id;
}

/** Returns the value of the cookie. */
export async function createSession(
  db: Db,
  person: Pick<PersonRow, 'id'>,
  { reauthenticated = true, secondFactor = false } = {},
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.transaction().execute((tx) =>
    insertSession(tx, {
      id: newId('session'),
      person_id: person.id,
      token_hash: hashOf(token),
      second_factor: secondFactor,
      reauthenticated,
      client_ip: '203.0.113.7',
      user_agent: 'browser',
    }),
  );
  return token;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A browser with its cookie, as far as the portal notices. */
export class Browser {
  readonly #app: TestApp;
  token: string | null;
  address = freshAddress();

  constructor(app: TestApp, token: string | null = null) {
    this.#app = app;
    this.token = token;
  }

  async send(
    method: Method,
    path: string,
    payload?: object,
    headers: Record<string, string | undefined> = {},
  ): Promise<LightMyRequestResponse> {
    const sent = {
      host: 'localhost:8080',
      origin: ORIGIN,
      'user-agent': 'browser',
      'content-type': 'application/json',
      ...(this.token === null ? {} : { cookie: `hp_session=${this.token}` }),
      ...headers,
    };
    const response = await this.#app.app.inject({
      method,
      url: `/portal/v1${path}`,
      remoteAddress: this.address,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
      ...(method === 'GET' || method === 'DELETE' ? {} : { payload: JSON.stringify(payload ?? {}) }),
    });
    const set = response.headers['set-cookie'];
    if (typeof set === 'string') this.token = /^[^=]+=([^;]*)/.exec(set)?.[1] || null;
    return response;
  }

  get = (path: string) => this.send('GET', path);
  post = (path: string, payload?: object) => this.send('POST', path, payload);
}

/** A new account, and the browser of its owner, who has just signed in. */
export async function createOwnedAccount(
  app: TestApp,
): Promise<{ readonly account: TestAccount; readonly owner: Browser }> {
  const { db } = app.services;
  const account = await createAccount(db);
  const person = await createPerson(db);
  await joinAccount(db, person, account.id, 'owner');
  return { account, owner: new Browser(app, await createSession(db, person)) };
}

/** Does what a worker does with requested mails, except for sending them. */
async function composeMails(db: Db): Promise<void> {
  const owner = newId('session');
  await db.transaction().execute(async (tx) => {
    const requested = (await tx.selectFrom('mails').selectAll().orderBy('id').forUpdate().execute()).filter(
      isRequest,
    );
    for (const mail of requested) {
      await tx.updateTable('mails').set({ lease_owner: owner }).where('id', '=', mail.id).execute();
      await compose(tx, mailComposers, mail, owner);
    }
  });
}

/** The token in the link of the newest mail of this template to the address; null without such a mail. */
export async function mailedToken(db: Db, to: string, template: string): Promise<string | null> {
  await composeMails(db);
  const row = await db
    .selectFrom('mails')
    .select('data')
    .where('recipient', '=', to)
    .where('template', '=', template as never)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return (row?.data as { link: string } | undefined)?.link.split('#')[1] ?? null;
}

/** The templates of all mails to the address, oldest first. */
export async function mailsTo(db: Db, to: string): Promise<string[]> {
  await composeMails(db);
  const rows = await db
    .selectFrom('mails')
    .select('template')
    .where('recipient', '=', to)
    .orderBy('id')
    .execute();
  return rows.map(({ template }) => template);
}
