import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DownloadLink } from '../../../kernel/downloads/link.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { endOfDownload, makeLargeBackup, openDownload, pathOf } from '../../../testing/large-backup.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Backup } from './schema.ts';

const LINK_LIMIT = 20;
const SMALL = 1000;

let app: TestApp;
let port: number;
let mine: VpsAccount;
let backupId: string;

beforeAll(async () => {
  app = await createTestApp();
  await app.app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.app.server.address() as AddressInfo).port;
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  backupId = await makeLargeBackup(mine, SMALL);
});
afterAll(() => app.close());

interface Made {
  readonly id: string;
  readonly url: string;
  readonly sha256: string;
}

const post = (payload: object = {}, id = backupId) => mine.send('POST', `backups/${id}/download`, payload);

async function link(id = backupId): Promise<Made> {
  const answer = await post({}, id);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Made>();
}
const get = (made: Made, headers = {}) => app.app.inject({ method: 'GET', url: pathOf(made), headers });
const statusOf = async (made: Made) => (await get(made)).statusCode;
const read = async () => (await mine.send('GET', `backups/${backupId}`)).json<Backup>();

describe('a download link', () => {
  it('serves the archive without a key, whole and in ranges', async () => {
    const made = await link();
    const whole = await get(made);
    expect(whole.statusCode).toBe(200);
    expect(createHash('sha256').update(whole.rawPayload).digest('hex')).toBe(made.sha256);
    const range = await get(made, { range: 'bytes=10-19' });
    expect(range.statusCode).toBe(206);
    expect(range.rawPayload).toEqual(whole.rawPayload.subarray(10, 20));
    expect((await get(made, { range: `bytes=${SMALL}-` })).statusCode).toBe(416);
    expect(app.logged.join('\n')).not.toContain(new URL(made.url).searchParams.get('token'));
  });

  it('404: the link has expired, was modified, or has the token of another link', async () => {
    const [made, other] = [await link(), await link()];
    expect(await statusOf({ ...made, url: `${made.url}x` })).toBe(404);
    expect(await statusOf({ ...made, url: made.url.replace(made.id, other.id) })).toBe(404);
    expect(await statusOf(made)).toBe(200);
    await sql`update download_links set expires_at = now() where id = ${made.id}`.execute(app.services.db);
    expect(await statusOf(made)).toBe(404);
    expect((await read()).download_links.map(({ id }) => id)).toEqual([other.id]);
  });

  it('404: the backup is being deleted; a dry run of the deletion keeps the link', async () => {
    const made = await link();
    await mine.send('DELETE', `backups/${backupId}?dry_run=true`);
    expect(await statusOf(made)).toBe(200);
    await mine.send('DELETE', `backups/${backupId}`);
    expect(await statusOf(made)).toBe(404);
  });

  it('is shown with its backup without its token: creator, expiry and use', async () => {
    const made = await link();
    expect((await read()).download_links).toMatchObject([{ id: made.id, last_used_at: null, uses: 0 }]);
    await get(made);
    await get(made, { range: 'bytes=0-1' });
    const [shown] = (await read()).download_links as [DownloadLink];
    expect(shown).toMatchObject({ uses: 2, last_used_at: expect.any(String) });
    expect(shown.created_by).toMatchObject({ kind: 'api_key', api_key_id: expect.stringMatching(/^key_/) });
    const list = await mine.send('GET', 'backups');
    expect(list.json<{ data: Backup[] }>().data[0]?.download_links).toEqual([shown]);
    expect(list.body).not.toContain(new URL(made.url).searchParams.get('token'));
    const stored = await app.services.db.selectFrom('download_links').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(new URL(made.url).searchParams.get('token'));
  });

  it('can be ended by a call, which cuts its downloads; other links keep working', async () => {
    const large = await makeLargeBackup(mine);
    const [ended, other] = [await link(large), await link(large)];
    const running = await openDownload(port, pathOf(ended));
    const answer = await post({ end_links: [ended.id], make_link: false }, large);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json<Backup>().download_links.map(({ id }) => id)).toEqual([other.id]);
    expect(await endOfDownload(running)).toBe('cut off');
    expect(await statusOf(ended)).toBe(404);
    const untouched = await openDownload(port, pathOf(other));
    expect(untouched.statusCode).toBe(200);
    expect(await endOfDownload(untouched)).toBe('whole');
  });

  it('can be replaced in one call', async () => {
    const before = await link();
    const after = (await post({ end_links: [before.id] })).json<Made>();
    expect([await statusOf(before), await statusOf(after)]).toEqual([404, 200]);
  });

  it('of another backup is not ended', async () => {
    const [here, there] = [await link(), await link(await makeLargeBackup(mine, SMALL))];
    const answer = await post({ end_links: [here.id, there.id], make_link: false });
    expect(answer.statusCode).toBe(200);
    expect([await statusOf(here), await statusOf(there)]).toEqual([404, 200]);
  });

  it('409: more links than the limit allows, also if they are created at the same time', async () => {
    for (let i = 1; i < LINK_LIMIT; i++) await link();
    const answers = await Promise.all([post(), post(), post()]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409]);
    const [oldest] = (await read()).download_links;
    expect((await post({ end_links: [oldest?.id] })).statusCode).toBe(201);
  });

  it('does not cut a download that began before it expired', async () => {
    const large = await makeLargeBackup(mine);
    const made = await link(large);
    const running = await openDownload(port, pathOf(made));
    await sql`update download_links set expires_at = now() where id = ${made.id}`.execute(app.services.db);
    expect(await statusOf(made)).toBe(404);
    expect(await endOfDownload(running)).toBe('whole');
  });
});
