import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';

const url = '/workshop/v1/opening-hours';
const USUAL = { opens: 9, closes: 17, days: ['weekday'], note: '' };

let app: TestApp;
let key: TestKey;
let accountId: string;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  const account = await createAccount(app.services.db);
  accountId = account.id;
  key = await createKey(app.services.db, account);
});

const read = async () => (await app.call({ url, key: key.key })).json();
const set = (payload: object, headers: Record<string, string> = {}) =>
  app.call({ method: 'PUT', url, payload, headers, key: key.key });
const rows = async () =>
  app.services.db.selectFrom('opening_hours').selectAll().where('account_id', '=', accountId).execute();

describe('what there is exactly once', () => {
  it('200: is there before anybody has set it, and has the same id and etag each time', async () => {
    const first = await read();
    expect(first).toMatchObject(USUAL);
    expect(await read()).toEqual(first);
    expect(await rows()).toEqual([]);
  });

  it('200: is replaced as a whole, and keeps its id', async () => {
    const { id, etag } = await read();
    const answer = await set({ opens: 7 });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({ ...USUAL, id, opens: 7 });
    expect(answer.json().etag).not.toBe(etag);
    expect((await set({ note: 'At the back.' })).json()).toMatchObject({
      ...USUAL,
      id,
      note: 'At the back.',
    });
    expect(await rows()).toHaveLength(1);
  });

  it('200: writes nothing if it is set to what it is already', async () => {
    const before = await read();
    expect((await set(USUAL)).json()).toEqual(before);
    expect(await rows()).toEqual([]);
  });

  it('412: is not changed if it was changed since it was read, also for the first time', async () => {
    const { etag } = await read();
    const answers = await Promise.all([1, 2, 3].map((opens) => set({ opens }, { 'if-match': `"${etag}"` })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412]);
    expect(await rows()).toHaveLength(1);
  });

  it('200: takes several changes at the same time, one after the other', async () => {
    const answers = await Promise.all([1, 2, 3].map((opens) => set({ opens })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await rows()).map(({ version }) => version)).toEqual([4]);
  });
});
