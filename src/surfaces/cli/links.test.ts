import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import { makeLargeBackup, pathOf } from '../../testing/large-backup.ts';
import { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let owner: VpsAccount;

beforeAll(async () => {
  t = await createTestApp();
  owner = await VpsAccount.open(t);
});
afterAll(() => t.close());

const run = (...argv: readonly string[]) =>
  runCommand([...argv, '--account', owner.account.id], {
    env: { HOSTPLANE_DATABASE_URL: urlOf(t.database.connection) },
    answers: ['yes'],
    registry: t.registry,
  });

describe('hostplane admin links', () => {
  it('lists the links of an account without their tokens, and ends one', async () => {
    expect((await run('links', 'list')).out).toBe('No file can be downloaded with a link.\n');
    const backupId = await makeLargeBackup(owner, 100);
    const made = await owner.send('POST', `backups/${backupId}/download`, {});
    const link = made.json<{ id: string; url: string }>();
    const listed = await run('links', 'list');
    expect(listed.out).toContain(link.id);
    expect(listed.out).toContain(backupId);
    expect(listed.out).not.toContain(new URL(link.url).searchParams.get('token'));
    expect(await run('links', 'end', link.id)).toMatchObject({ code: 0 });
    expect((await t.app.inject(pathOf(link))).statusCode).toBe(404);
    expect(await run('links', 'end', link.id)).toMatchObject({ code: 1 });
    const entry = await t.services.db
      .selectFrom('audit_entries')
      .select('entry')
      .where('account_id', '=', owner.account.id)
      .orderBy('sequence', 'desc')
      .execute();
    expect(JSON.stringify(entry)).toContain('endDownloadLink');
  });
});
