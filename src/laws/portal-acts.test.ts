/** What must hold for all acts of the portal: who may do them, from where, and what is written about it. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RoleName, roleNames } from '../kernel/access/roles.ts';
import { type Act, isRead, rolesOf } from '../surfaces/portal/act.ts';
import { acts } from '../surfaces/portal/acts/index.ts';
import { createAccount, createKey, type TestAccount } from '../testing/accounts.ts';
import type { TestApp } from '../testing/app.ts';
import { Browser, createPerson, createSession, joinAccount } from '../testing/people.ts';
import { type ActInput, type Acting, actFixtures, readParams } from './act-fixtures.ts';
import { type ActWorld, createActWorld, outcomeOfAct, sendAct } from './act-world.ts';
import { ownersOfShownKeys } from './shown-keys.ts';

let app: TestApp;
let world: ActWorld;
let account: TestAccount;
let key: string;
let owner: Acting;
let viewer: Acting;
let stranger: { personId: string };

beforeAll(async () => {
  world = await createActWorld();
  ({ app, account } = world);
  const { db } = app.services;
  key = (await createKey(db, account)).key;
  [owner, viewer] = [await world.actAs('owner'), await world.actAs('viewer')];
  const person = await createPerson(db);
  stranger = { personId: person.id };
  await joinAccount(db, person, (await createAccount(db)).id, 'owner');
});
afterAll(() => app.close());

const isInAccount = ({ authority }: Act): boolean => authority !== 'none' && authority !== 'person';
const inAccounts = acts.filter(isInAccount);
const ofPeople = acts.filter(({ authority }) => authority === 'person');
const signedIn = acts.filter(({ authority }) => authority !== 'none');
const named = (list: readonly Act[]): [string, Act][] => list.map((act) => [act.id, act]);

const browserOf = async (personId: string, options?: Parameters<typeof createSession>[2]): Promise<Browser> =>
  new Browser(app, await createSession(app.services.db, { id: personId }, options));

const send = (act: Act, browser: Browser, input: ActInput = {}, headers = {}) =>
  sendAct(act, { account, browser }, input, headers);

const outcome = outcomeOfAct;

describe('the list of acts', () => {
  it('contains all that the files of the folder declare', () => {
    const folder = new URL('../surfaces/portal/acts/', import.meta.url);
    const declared = readdirSync(folder).flatMap((file) =>
      [
        ...readFileSync(new URL(file, folder), 'utf8').matchAll(/\bact\(\{\s+(?:\.\.\.\w+,\s+)?id: '(\w+)'/g),
      ].map(([, id]) => id),
    );
    expect(acts.map(({ id }) => id).sort()).toEqual(declared.sort());
    expect(new Set(declared).size).toBe(declared.length);
    const routes = acts.map(({ method, path }) => `${method} ${path.replaceAll(/\{[a-z_]+\}/g, '{}')}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it.each(named(acts))('%s is declared consistently', (_, act) => {
    expect(act.path.startsWith('/accounts/{account_id}')).toBe(isInAccount(act));
    expect(act.summary.length).toBeLessThanOrEqual(60);
    expect(act.summary).toMatch(/^[A-Z][^.]*$/);
    if (isRead(act)) expect([act.audit, act.reauthentication]).toEqual(['none', false]);
    else if (isInAccount(act)) expect(act.audit).toBe('account');
  });
});

describe('an act without a session', () => {
  it.each(named(signedIn))('%s answers 401', async (_, act) => {
    expect(outcome(await send(act, new Browser(app)))).toBe('401 not_signed_in');
    expect(outcome(await send(act, new Browser(app, 'A'.repeat(43))))).toBe('401 not_signed_in');
  });

  it.each(named(acts))('%s refuses an API key, alone and beside a session', async (_, act) => {
    const withKey = { 'x-api-key': key };
    const signedIn = await browserOf(owner.personId);
    for (const browser of [new Browser(app), signedIn])
      expect(outcome(await send(act, browser, {}, withKey))).toBe('403 key_not_accepted');
  });
});

describe('an act from another site', () => {
  it.each(named(acts.filter(({ method }) => method !== 'GET')))('%s is refused', async (_, act) => {
    const browser = await browserOf(owner.personId);
    const foreign = [
      { origin: undefined },
      { origin: 'null' },
      { origin: 'http://localhost:8081' },
      { origin: 'https://localhost:8080' },
      { origin: 'http://evil.localhost:8080' },
      { host: 'evil.example', origin: 'http://evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign)
      expect([headers, outcome(await send(act, browser, {}, headers))]).toEqual([
        headers,
        '403 origin_not_allowed',
      ]);
    if (act.method === 'DELETE') return;
    const form = await send(act, browser, {}, { 'content-type': 'text/plain' });
    expect([401, 403, 404, 415]).toContain(form.statusCode);
  });

  it.each(named(acts.filter(isRead)))('%s cannot be read', async (_, act) => {
    const browser = await browserOf(owner.personId);
    expect(outcome(await send(act, browser, {}, { 'sec-fetch-site': 'cross-site' }))).toBe(
      '403 origin_not_allowed',
    );
  });
});

describe('an act with an invalid path', () => {
  const withParams = acts.filter(({ path }) => path.includes('{'));
  it.each(named(withParams))('%s answers 404', async (_, act) => {
    const browser = await browserOf(owner.personId);
    for (const broken of ['%00', 'a%20b', '%F0%9F%92%A9', 'x'.repeat(65)]) {
      const path = act.path.replace('{account_id}', account.id).replaceAll(/\{[a-z_]+\}/g, broken);
      const sent = path.includes(broken) ? path : path.replace(account.id, broken);
      expect([broken, (await browser.send(act.method, sent)).statusCode]).toEqual([broken, 404]);
    }
  });
});

describe('an act in an account', () => {
  it.each(named(inAccounts))('%s answers a non-member as if the account did not exist', async (_, act) => {
    const browser = await browserOf(stranger.personId);
    const foreign = await send(act, browser);
    const unknown = await send(act, browser, { params: { account_id: 'acc_00000000000000000000000000' } });
    const bodies = [foreign, unknown].map((answer) => {
      const { request_id, instance, detail, ...rest } = answer.json();
      return { ...rest, detail: detail.replaceAll(/acc_\w+/g, 'acc_') };
    });
    expect(outcome(foreign)).toBe('404 not_found');
    expect(bodies[0]).toEqual(bodies[1]);
  });

  it.each(named(inAccounts.filter(({ reauthentication }) => reauthentication === true)))(
    '%s needs re-authentication',
    async (_, act) => {
      const browser = await browserOf(owner.personId, { reauthenticated: false });
      expect(outcome(await send(act, browser))).toBe('403 reauthentication_required');
    },
  );
});

const lastSequence = async (): Promise<number> => {
  await app.services.audit.flush();
  const row = await app.services.db
    .selectFrom('audit_heads')
    .select('sequence')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow();
  return row.sequence;
};

/** The outcomes of what was written to the audit log since then, without the entry of the session. */
const auditedSince = async (sequence: number): Promise<string[]> => {
  await app.services.audit.flush();
  const rows = await app.services.db
    .selectFrom('audit_entries')
    .select(['outcome', 'action', 'actor_id'])
    .where('account_id', '=', account.id)
    .where('sequence', '>', sequence)
    .where('action', '<>', 'enterAccount')
    .execute();
  return rows.map(({ outcome: ended, actor_id }) => `${ended} ${actor_id}`);
};

describe('the role matrix', () => {
  /** Keys of earlier cases expire, because the account may have only so many. One that was closed is opened again. */
  afterEach(async () => {
    const { db } = app.services;
    await db
      .updateTable('api_keys')
      .set({ expires_at: new Date(0) })
      .where('account_id', '=', account.id)
      .execute();
    await db.deleteFrom('budgets').where('account_id', '=', account.id).execute();
    await db.updateTable('accounts').set({ status: 'active' }).where('id', '=', account.id).execute();
  });
  const cases = inAccounts.flatMap((act) =>
    roleNames.map((role): [string, RoleName, Act] => [act.id, role, act]),
  );
  it.each(cases)('%s as %s', async (id, role, act) => {
    const acting = await world.actAs(role);
    const prepare = isRead(act) ? readParams : actFixtures[id];
    if (prepare === undefined)
      throw new Error(`Write a fixture for the act ${id} in src/laws/act-fixtures.ts.`);
    const input = await prepare(acting);
    const before = await lastSequence();
    const answer = await send(act, acting.browser, input);
    const isAllowed = rolesOf(act).includes(role);
    if (isAllowed) expect([answer.body, answer.statusCode]).toEqual([answer.body, act.status ?? 200]);
    else expect(outcome(answer)).toBe('403 permission_denied');
    const shownTo = await ownersOfShownKeys(app.services.db, answer.body);
    expect(shownTo.filter((owner) => owner !== acting.memberId)).toEqual([]);
    const entry = `${isAllowed ? 'succeeded' : 'rejected'} ${acting.memberId}`;
    expect(await auditedSince(before)).toEqual(isRead(act) ? [] : [entry]);
  });
});

describe('an act of a person', () => {
  const eventsOf = async (personId: string): Promise<string[]> => {
    const rows = await app.services.db
      .selectFrom('person_events')
      .select('type')
      .where('person_id', '=', personId)
      .orderBy('id')
      .execute();
    return rows.map(({ type }) => type);
  };

  it.each(named(ofPeople.filter((act) => !isRead(act))))(
    '%s is written once to the log of the person',
    async (id, act) => {
      const prepare = actFixtures[id];
      if (prepare === undefined)
        throw new Error(`Write a fixture for the act ${id} in src/laws/act-fixtures.ts.`);
      const person = await createPerson(app.services.db);
      const browser = await browserOf(person.id);
      const input = await prepare({ app, account, personId: person.id, memberId: '', browser });
      const before = await eventsOf(person.id);
      const answer = await send(act, browser, input);
      expect([answer.body, answer.statusCode]).toEqual([answer.body, act.status ?? 200]);
      expect((await eventsOf(person.id)).length - before.length).toBe(act.audit === 'person' ? 1 : 0);
    },
  );

  it.each(named(ofPeople.filter(({ reauthentication }) => reauthentication === true)))(
    '%s needs re-authentication',
    async (_, act) => {
      const browser = await browserOf(viewer.personId, { reauthenticated: false });
      expect(outcome(await send(act, browser))).toBe('403 reauthentication_required');
    },
  );
});
