import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CursorSeal } from '../../kernel/pages/cursor.ts';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import { openPortal, refusalOf, type TestPortal } from '../../testing/portal.ts';
import { keySorts, pageOfKeys, summariseKeys } from './list.ts';

let portal: TestPortal;
const cursors = new CursorSeal(randomBytes(32));
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const DAY = 86_400_000;
const from = (days: number): Date => new Date(Date.now() + days * DAY);

type Asked = Parameters<typeof pageOfKeys>[2];

const page = (accountId: string, asked: Asked = {}) =>
  pageOfKeys({ db: portal.db, cursors }, accountId, asked);

const namesIn = async (accountId: string, asked: Asked = {}): Promise<string[]> =>
  (await page(accountId, asked)).data.map(({ name }) => name);

async function newAccount() {
  const { account, owner } = await portal.newAccount();
  return { id: account.id, name: account.name, ownerId: owner.id } as unknown as TestAccount;
}

const add = (account: TestAccount, name: string, values: object = {}) =>
  createKey(portal.db, account, { name, ...values });

describe('a page of keys', () => {
  it.each(keySorts)('shows every key once, page by page, sorted by %s', async (sort) => {
    const account = await newAccount();
    for (let i = 0; i < 60; i++)
      await add(account, `key ${i % 7}`, {
        last_used_at: i % 3 === 0 ? null : from(-(i % 5)),
        expires_at: i % 4 === 0 ? null : from(1 + (i % 6)),
      });
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const { data, next_cursor } = await page(account.id, { sort, ...(cursor ? { cursor } : {}) });
      seen.push(...data.map(({ id }) => id));
      sizes.push(data.length);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    expect(sizes).toEqual([25, 25, 10]);
    expect(new Set(seen).size).toBe(60);
  });

  it('sorts what was never used, and what never ends, last', async () => {
    const account = await newAccount();
    await add(account, 'B', { last_used_at: from(-1), expires_at: null });
    await add(account, 'a', { last_used_at: null, expires_at: from(2) });
    await add(account, 'c', { last_used_at: from(-2), expires_at: from(1) });
    expect(await namesIn(account.id)).toEqual(['c', 'a', 'B']);
    expect(await namesIn(account.id, { sort: 'name' })).toEqual(['a', 'B', 'c']);
    expect(await namesIn(account.id, { sort: 'last_used' })).toEqual(['B', 'c', 'a']);
    expect(await namesIn(account.id, { sort: 'expires' })).toEqual(['c', 'a', 'B']);
  });

  it('filters by status, owner and text', async () => {
    const account = await newAccount();
    const grace = await portal.newMember(account.id, 'developer');
    const mine = await add(account, 'CI production', { owner_id: grace.id });
    await add(account, 'backup', { notes: 'For the 100% CI', status: 'suspended' });
    await add(account, 'old', { expires_at: from(-1) });
    await add(account, 'gone', { status: 'revoked' });
    expect(await namesIn(account.id, { status: 'living', sort: 'name' })).toEqual([
      'backup',
      'CI production',
    ]);
    expect(await namesIn(account.id, { status: 'suspended' })).toEqual(['backup']);
    expect(await namesIn(account.id, { status: 'ended', sort: 'name' })).toEqual(['gone', 'old']);
    expect(await namesIn(account.id, { owner_id: grace.id })).toEqual(['CI production']);
    expect(await namesIn(account.id, { text: 'ci', sort: 'name' })).toEqual(['backup', 'CI production']);
    expect(await namesIn(account.id, { text: '%' })).toEqual(['backup']);
    expect(await namesIn(account.id, { text: `hpk1_${mine.publicId.slice(0, 8)}` })).toEqual([
      'CI production',
    ]);
    expect(await namesIn((await newAccount()).id, { text: 'ci' })).toEqual([]);
  });

  it('refuses a cursor of another filter', async () => {
    const account = await newAccount();
    for (let i = 0; i < 26; i++) await add(account, `key ${i}`);
    const { next_cursor: cursor } = await page(account.id, { sort: 'name' });
    expect((await refusalOf(page(account.id, { cursor: cursor! }))).code).toBe('invalid_cursor');
  });
});

describe('the summary of the keys', () => {
  it('counts them, and names those that end soon or were found in public', async () => {
    const account = await newAccount();
    await add(account, 'fresh', { expires_at: from(90) });
    await add(account, 'young but short', { expires_at: from(6), created_at: from(-1) });
    await add(account, 'ends', { expires_at: from(5), created_at: from(-85), last_used_at: from(-1) });
    await add(account, 'replaced', { expires_at: from(1), created_at: from(-85), replaced_by: 'key_x' });
    await add(account, 'found', { exposed_at: from(-1) });
    await add(account, 'found and gone', { exposed_at: from(-1), status: 'revoked' });
    await add(account, 'stopped', { status: 'suspended' });
    expect(await summariseKeys(portal.db, account.id)).toMatchObject({
      counts: { active: 5, suspended: 1, expired: 0, revoked: 1 },
      used: true,
      exposed: [{ name: 'found' }],
      ending: [{ name: 'ends' }],
    });
  });
});
