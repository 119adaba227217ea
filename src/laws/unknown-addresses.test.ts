/**
 * Acts that take an e-mail address from somebody who is not signed in do the same work for every address: the same
 * statements in the same transactions, the same rows, the same number of password hashes. So neither the answer nor its
 * time tells which addresses have a sign-in.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Email } from '../portal-api/input.ts';
import type { Act } from '../surfaces/portal/act.ts';
import { acts } from '../surfaces/portal/acts/index.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { type JsonSchema, sampleOf } from '../testing/arbitrary.ts';
import { Browser, createPerson, mailsTo, PASSWORD as RIGHT } from '../testing/people.ts';

const hashed = vi.hoisted(() => ({ count: 0 }));
vi.mock('@node-rs/argon2', async (original) => {
  const library = await original<Record<string, unknown>>();
  const counted = Object.entries(library).map(([name, value]) => [
    name,
    typeof value === 'function'
      ? (...args: unknown[]) => {
          hashed.count++;
          return value(...args);
        }
      : value,
  ]);
  return Object.fromEntries(counted);
});

let app: TestApp;
/** The statements of the call that runs in this context, so that those of timers are not among them. */
const recording = new AsyncLocalStorage<string[]>();
const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;

beforeAll(async () => {
  app = await createTestApp({ portal: true });
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [query] = args;
    const text = typeof query === 'string' ? query : (query as { text?: unknown }).text;
    recording.getStore()?.push(String(text));
    return send.apply(this, args);
  } as typeof pg.Client.prototype.query;
});

afterAll(async () => {
  pg.Client.prototype.query = send as typeof pg.Client.prototype.query;
  await app.close();
});

const membersOf = ({ input }: Act): Record<string, JsonSchema> =>
  ((input as JsonSchema).properties ?? {}) as Record<string, JsonSchema>;
const addressIn = (act: Act): string | undefined =>
  Object.entries(membersOf(act)).find(([, { pattern }]) => pattern === (Email as JsonSchema).pattern)?.[0];

const ofStrangers = acts.filter((act) => act.authority === 'none' && addressIn(act) !== undefined);

/** Values that the rules beyond the schemas accept; the password is nobody's. */
const VALUES: Readonly<Record<string, unknown>> = {
  name: 'Ada',
  account_name: 'Example',
  country: 'DE',
  password: `${RIGHT} reversed`,
  terms_accepted: true,
};

function inputOf(act: Act, email: string): object {
  const members = Object.entries(membersOf(act)).map(([name, schema]) => [
    name,
    VALUES[name] ?? sampleOf(schema),
  ]);
  return { ...Object.fromEntries(members), [addressIn(act) ?? '']: email };
}

let serial = 0;
const fresh = (): string => `stranger-${++serial}@example.com`;

const addresses: Readonly<Record<string, () => Promise<string>>> = {
  'a sign-in': async () => (await createPerson(app.services.db, { email: fresh() })).email,
  'a sign-in without a password': async () =>
    (await createPerson(app.services.db, { email: fresh(), password_hash: null })).email,
  'a sign-up that waits': async () => {
    const email = fresh();
    const signUp = acts.find(({ id }) => id === 'signUp')!;
    await new Browser(app).post(signUp.path, inputOf(signUp, email));
    await mailsTo(app.services.db, email);
    return email;
  },
  'too many mails': async () => {
    const email = fresh();
    for (let i = 0; i < 4; i++) await new Browser(app).post('/recover', { email });
    await mailsTo(app.services.db, email);
    return email;
  },
};

const WRITTEN = /\b(?:insert into|update|delete from) "?([a-z_]+)"?/g;
const tablesIn = (statements: readonly string[]): string[] => [
  ...new Set(statements.flatMap((text) => [...text.matchAll(WRITTEN)].map(([, table = '']) => table))),
];

async function rowsOf(tables: readonly string[]): Promise<number[]> {
  const counts = tables.map(async (table) => {
    const query = app.services.db.selectFrom(table as 'mails').select(({ fn }) => fn.countAll().as('count'));
    return Number((await query.executeTakeFirstOrThrow()).count);
  });
  return Promise.all(counts);
}

/** `tables`: those whose rows are counted, which are the tables that an earlier call wrote to. */
async function workFor(act: Act, email: string, tables: readonly string[] = []) {
  const before = await rowsOf(tables);
  hashed.count = 0;
  const statements: string[] = [];
  const answer = await recording.run(statements, () => new Browser(app).post(act.path, inputOf(act, email)));
  const work = { status: answer.statusCode, statements: [...statements], hashes: hashed.count };
  const after = await rowsOf(tables);
  await app.services.guesses.flush();
  const { request_id: _, instance: __, ...body } = answer.json();
  return { ...work, body, added: after.map((count, i) => count - (before[i] ?? 0)) };
}

it('the acts by which people sign in, sign up and recover are tested', () => {
  expect(ofStrangers.map(({ id }) => id).sort()).toEqual(
    expect.arrayContaining(['requestRecovery', 'sendVerificationAgain', 'signIn', 'signUp']),
  );
});

describe.each(ofStrangers.map((act) => ({ id: act.id, act })))('$id', ({ act }) => {
  let tables: string[];

  // The first call also makes the hash that passwords of unknown people are compared with.
  beforeAll(async () => {
    tables = tablesIn((await workFor(act, fresh())).statements);
  });

  it.each(Object.keys(addresses))('answers an address with %s exactly like an unknown one', async (kind) => {
    const known = await workFor(act, await addresses[kind]!(), tables);
    expect(known.added.some((count) => count > 0)).toBe(true);
    expect(known).toEqual(await workFor(act, fresh(), tables));
  });
});
