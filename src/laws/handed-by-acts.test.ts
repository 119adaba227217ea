/**
 * Whatever the portal hands out ends with the right of the person who got it. The acts that hand out are found by their
 * records, and what is handed out by the columns that keep its hash, so that a new one cannot be forgotten.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { otherBearers } from './acts-that-hand-out.ts';
import { sessionBearers } from './acts-that-sign-in.ts';
import { cliLoginCode } from './cli-login-codes.ts';
import { exemptFrom } from './exemptions.ts';
import { handingOutActs } from './handed-by-acts.ts';
import { handed } from './handed-out.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ portal: true });
});
afterAll(() => app.close());

const bearers = [...sessionBearers, ...otherBearers, cliLoginCode];

describe('every secret that an act hands out is tested', () => {
  it('the secrets of every act that shows a secret or signs in', () => {
    expect([...new Set(bearers.flatMap(({ acts }) => acts))].sort()).toEqual(handingOutActs);
  });

  it('every column with the hash of something that expires', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.table_name || '.' || c.column_name as name from information_schema.columns c
      where c.table_schema = 'public' and c.data_type = 'bytea' and c.column_name ~ '^hash$|token_hash$'
        and exists (select from information_schema.columns o where o.table_schema = 'public'
          and o.table_name = c.table_name and o.column_name in ('expires_at', 'used_at'))
      order by 1`.execute(app.services.db);
    const tried = [
      ...bearers.flatMap(({ keptIn }) => keptIn),
      ...Object.values(handed).map(({ keptIn }) => keptIn),
      ...exemptFrom('handedOut'),
    ];
    expect([...new Set(tried)].sort()).toEqual(rows.map(({ name }) => name));
  });
});

describe.each(bearers)('$title', ({ give, endings, isLasting }) => {
  it('works at first', async () => {
    const { use } = await give(app);
    for (const outcome of await use()) expect(outcome).toMatch(/^20\d/);
  });

  it.each(endings)('no longer works after $title', async ({ take }) => {
    const given = await give(app);
    await take(given);
    // A second use of what works once would be refused in any case.
    const isEnded = async () => (await given.use()).every((outcome) => /^(40[134]|410) /.test(outcome));
    if (isLasting) await expect.poll(isEnded, { interval: 10 }).toBe(true);
    else expect(await isEnded()).toBe(true);
  });
});
