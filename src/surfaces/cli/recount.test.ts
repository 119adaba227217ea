import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  t = await createTestApp();
});
afterAll(async () => {
  await t.close();
  await removeTemporaryFolder(folder);
});

const run = (...argv: string[]) =>
  runCommand(argv, {
    env: {
      HOSTPLANE_DATABASE_URL: urlOf(t.database.connection),
      HOSTPLANE_DATA: folder,
      HOSTPLANE_PORT: '0',
    },
  });

it('doctor names counts and totals that are wrong, and recount makes them right', async () => {
  const { account } = await VpsAccount.open(t).then(async (mine) => {
    await mine.vm();
    return mine;
  });
  const checks = async () => {
    const { checks: all } = JSON.parse((await run('doctor', '--json')).out) as {
      checks: { name: string; status: string; detail: string; fix?: string }[];
    };
    return all.filter(({ name }) => name === 'Counts of limits' || name === 'Meter totals');
  };
  const sound = [
    { name: 'Meter totals', status: 'ok' },
    { name: 'Counts of limits', status: 'ok' },
  ];
  expect(await checks()).toMatchObject(sound);
  await sql`delete from kept_counts where account_id = ${account.id}`.execute(t.services.db);
  await sql`delete from meter_entries where account_id = ${account.id}`.execute(t.services.db);
  for (const check of await checks())
    expect(check).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining(account.id),
      fix: 'Run: hostplane admin recount',
    });
  expect(JSON.parse((await run('recount', '--json')).out)).toEqual({ recounted: [account.id] });
  expect(await checks()).toMatchObject(sound);
  expect((await run('recount')).out).toBe('All totals and counts were right.\n');
});
