import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attachmentMoves } from '../../families/support/attachments/storage.ts';
import { passingTime } from '../../families/support/passing-time/schedule.ts';
import { issueKey } from '../../kernel/access/key-format.ts';
import {
  createAccount,
  createKey,
  createMember,
  type TestAccount,
  type TestKey,
} from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';

let t: TestApp;
let folder: string;
let account: TestAccount;
let key: TestKey;
let ticket: { id: string };
let serial = 0;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  t = await createTestApp({
    // The stores are in the same folder as those that the command opens.
    provider: (config) => ({
      ...config,
      database: { ...config.database, folder },
      catalogue: {
        ...config.catalogue,
        locations: config.catalogue.locations.map((location) => ({ ...location, backups: null })),
      },
    }),
  });
});
afterAll(async () => {
  await t.close();
  await removeTemporaryFolder(folder);
});

const collection = '/support/v1/tickets';
const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
  (await t.call({ method, url, key: key.key, ...(payload && { payload }) })).json();
const get = () => call('GET', `${collection}/${ticket.id}`);
const reply = (payload: object) => call('POST', `${collection}/${ticket.id}/messages`, payload);

beforeEach(async () => {
  account = await createAccount(t.services.db);
  key = await createKey(t.services.db, account);
  const reader = await createMember(t.services.db, account.id, 'viewer');
  ticket = await call('POST', collection, {
    subject: `Question number ${++serial}`,
    body: 'Since this morning the machine answers only sometimes.',
    category: 'technical',
    cc_member_ids: [reader],
  });
});

const run = (...argv: string[]) =>
  runCommand(['tickets', ...argv], {
    env: {
      HOSTPLANE_DATABASE_URL: urlOf(t.database.connection),
      HOSTPLANE_DATA: folder,
      HOSTPLANE_SECRET_KEY: Buffer.alloc(32, 'for tests only').toString('base64'),
    },
    folder,
  });
const mails = async (): Promise<string[]> => {
  const { rows } = await sql<{ template: string }>`
    select template from mails where recipient in (select email from members where account_id = ${account.id})
    order by id`.execute(t.services.db);
  return rows.map(({ template }) => template);
};
const events = async (): Promise<string[]> => {
  const { rows } = await sql<{ type: string }>`
    select type from events where resource_id = ${ticket.id} order by sequence`.execute(t.services.db);
  return rows.map(({ type }) => type.replace('ticket.', ''));
};
const age = (days: number) =>
  sql`update tickets set status_since = status_since - ${days} * interval '1 day' where id = ${ticket.id}`.execute(
    t.services.db,
  );

describe('hostplane admin tickets', () => {
  it('lists what has to be answered, the most urgent first, and shows a ticket', async () => {
    const list = await run('list', '--account', account.id);
    expect(list.out).toMatch(new RegExp(`${ticket.id}.*basic.*normal.*open.*customer.*Question number`));
    expect((await run('list', '--account', account.id, '--status', 'solved')).out).toContain(
      'no such tickets',
    );
    const shown = await run('show', ticket.id);
    expect(shown.out).toMatch(/customer: Member .*\n {2}Since this morning/);
    const unknown = await run('show', 'tkt_x');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('There is no ticket tkt_x')]);
  });

  it('answers: the customer reads it, gets a mail, and sees who waits for whom', async () => {
    await writeFile(join(folder, 'answer.md'), 'Please restart it.\n');
    const asked = await run('reply', ticket.id, '--file', 'answer.md', '--as', 'Jana', '--ask');
    expect([asked.code, asked.err]).toEqual([0, '']);
    const shown = await get();
    expect(shown).toMatchObject({
      status: 'waiting_customer',
      message_count: 2,
      last_message: { from: 'staff' },
    });
    expect(shown.first_response_at).not.toBeNull();
    expect(shown.messages.at(-1)).toMatchObject({
      from: 'staff',
      author_name: 'Jana',
      body: 'Please restart it.',
    });
    expect(await mails()).toEqual(['ticket_answered', 'ticket_answered']);
    await reply({ body: 'I did.' });
    expect((await run('reply', ticket.id, '--text', 'Good.', '--solve')).code).toBe(0);
    expect((await get()).status).toBe('solved');
    expect(await events()).toEqual([
      'created',
      'replied',
      'waiting_customer',
      'replied',
      'replied',
      'solved',
    ]);
    const again = await run('reply', ticket.id, '--text', 'One more thing.');
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('The ticket is solved')]);
  });

  it('refuses an answer with a secret, and one without a text', async () => {
    const secret = await run('reply', ticket.id, '--text', `Use ${issueKey().key}`);
    expect([secret.code, secret.err]).toEqual([1, expect.stringContaining('secret')]);
    expect((await run('reply', ticket.id)).code).toBe(2);
    expect(await get()).toMatchObject({ message_count: 1 });
  });

  it('keeps notes, and who works on it, from the customer: in the ticket, its version, events and the audit log', async () => {
    const before = await get();
    const NOTE = 'This customer is difficult.';
    expect((await run('note', ticket.id, '--text', NOTE)).code).toBe(0);
    expect(await get()).toEqual(before);
    expect((await run('show', ticket.id)).out).toContain(`internal note by operator\n  ${NOTE}`);
    await run('assign', ticket.id, 'greta', '--team', 'Network');
    const assigned = await get();
    expect(assigned).toMatchObject({ status: 'in_progress', assigned_team: 'Network' });
    expect((await run('list', '--assigned-to', 'greta')).out).toContain(ticket.id);
    const [log, feed, found] = [
      await call('GET', '/account/v1/audit-log'),
      await call('GET', '/account/v1/events?since=2020-01-01T00:00:00Z'),
      await call('GET', `${collection}?q=difficult`),
    ];
    for (const answer of [assigned, log, found])
      expect(JSON.stringify(answer)).not.toMatch(/difficult|greta/);
    expect(JSON.stringify(feed)).not.toMatch(/difficult|greta/);
    expect(found.data).toEqual([]);
    await run('assign', ticket.id, '--nobody');
    expect((await get()).status).toBe('open');
  });

  it('saves a file that the customer sent, from the database and from the store', async () => {
    const content_base64 = Buffer.from('A log.\n').toString('base64');
    const sent = await reply({
      body: 'See.',
      attachments: [{ filename: 'a.log', content_type: 'text/plain', content_base64 }],
    });
    const [{ id }] = sent.attachments;
    for (const name of ['first.log', 'second.log']) {
      const saved = await run('download', id, '--out', name);
      expect([saved.code, saved.err]).toEqual([0, '']);
      expect(await readFile(join(folder, name), 'utf8')).toBe('A log.\n');
      await attachmentMoves.run(t.services);
    }
    expect((await run('show', ticket.id)).out).toContain(`[${id} a.log, text/plain, 7 bytes]`);
  });
});

describe('time that passes', () => {
  const pass = () => passingTime.run(t.services);

  it('reminds once, solves after 14 days of silence, and closes 7 days later, each with a mail', async () => {
    await run('reply', ticket.id, '--text', 'Which machine?', '--ask');
    await age(6);
    await pass();
    expect(await mails()).not.toContain('ticket_reminder');
    await age(2);
    await pass();
    await pass();
    expect((await mails()).filter((each) => each === 'ticket_reminder')).toHaveLength(2);
    await age(7);
    await pass();
    expect((await get()).status).toBe('solved');
    await age(6);
    await pass();
    expect((await get()).status).toBe('solved');
    await age(2);
    await pass();
    const closed = await get();
    expect(closed.status).toBe('closed');
    expect(closed.reopen_until).not.toBeNull();
    expect((await mails()).slice(-2)).toEqual(['ticket_closed', 'ticket_closed']);
    expect(await events()).toEqual(['created', 'replied', 'waiting_customer', 'solved', 'closed']);
  });

  it('leaves a ticket alone that the customer has answered', async () => {
    await run('reply', ticket.id, '--text', 'Which machine?', '--ask');
    await reply({ body: 'web-1' });
    await age(40);
    await pass();
    expect((await get()).status).toBe('open');
  });
});
