import { randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueKey } from '../../kernel/access/key-format.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import { outcomeOf } from '../../laws/responses.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import type { TicketMessage } from './messages/schema.ts';
import type { Ticket } from './tickets/schema.ts';

const collection = '/support/v1/tickets';

let app: TestApp;
let account: TestAccount;
let key: TestKey;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});

const newTicket = (more: object = {}) => ({
  subject: `Question number ${++serial}`,
  body: 'Since this morning the machine answers only sometimes.',
  category: 'technical',
  ...more,
});
const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  app.call({ method: 'POST', url, payload, headers, key: key.key });
const open = async (more: object = {}): Promise<Ticket> => {
  const response = await post(collection, newTicket(more));
  expect([response.statusCode, response.json().errors]).toEqual([201, undefined]);
  return response.json<Ticket>();
};
const get = async (id: string) =>
  (await app.call({ url: `${collection}/${id}`, key: key.key })).json<Ticket>();
const reply = (id: string, payload: object = { body: 'It still happens.' }) =>
  post(`${collection}/${id}/messages`, payload);
const change = (id: string, payload: object) =>
  app.call({ method: 'PATCH', url: `${collection}/${id}`, payload, key: key.key });
const put = (id: string, columns: string) =>
  sql`update tickets set ${sql.raw(columns)} where id = ${id}`.execute(app.services.db);
const errorsOf = (response: LightMyRequestResponse) =>
  (response.json<{ errors: FieldError[] }>().errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await sql<{ type: string }>`
    select type from events where resource_id = ${id} order by sequence`.execute(app.services.db);
  return rows.map(({ type }) => type);
};

describe('a new ticket', () => {
  it('201: is open, numbered in its account, with its message and the time of the first answer', async () => {
    const first = await open();
    const second = await open({ severity: 'low' });
    expect([first.number, second.number, second.status]).toEqual([1, 2, 'open']);
    const hours = (ticket: Ticket) =>
      Math.round(
        (Date.parse(ticket.first_response_due_at ?? '') - Date.parse(ticket.created_at)) / 3_600_000,
      );
    expect([hours(first), hours(second)]).toEqual([48, 72]);
    expect((await get(first.id)).messages).toMatchObject([
      {
        from: 'customer',
        via: 'api',
        attachments: [],
        body: 'Since this morning the machine answers only sometimes.',
      },
    ]);
    expect(await eventsOf(first.id)).toEqual(['ticket.created']);
  });

  it('warns if the support plan does not know its severity', async () => {
    const vm = await linkedResource();
    const response = await post(collection, newTicket({ severity: 'critical', resource_ids: [vm] }));
    expect(response.statusCode).toBe(201);
    expect(response.headers['hostplane-warnings']).toContain('severity_capped');
    expect(response.json()).toMatchObject({ severity: 'critical', resources: [{ id: vm }] });
  });

  it('422: is refused if it is critical and names nothing, or names what the account does not have', async () => {
    const critical = await post(collection, newTicket({ severity: 'critical' }));
    expect(errorsOf(critical)).toEqual(['/resource_ids required']);
    const others = await open();
    account = await createAccount(app.services.db);
    key = await createKey(app.services.db, account);
    const foreign = await post(collection, newTicket({ follow_up_of: others.id, resource_ids: [others.id] }));
    expect(errorsOf(foreign)).toEqual([
      '/follow_up_of unknown_reference',
      '/resource_ids/0 unknown_reference',
    ]);
  });

  it('409 duplicate_ticket: is refused if the same text was just sent, unless there is an Idempotency-Key', async () => {
    const ticket = newTicket();
    const { id } = (await post(collection, ticket)).json<Ticket>();
    const again = await post(collection, ticket);
    expect([outcomeOf(again), again.json().existing_id]).toEqual(['409 duplicate_ticket', id]);
    expect((await post(collection, ticket, { 'idempotency-key': 'meant' })).statusCode).toBe(201);
    await put(id, "created_at = now() - interval '11 minutes'");
    expect((await post(collection, { ...ticket, subject: 'Another subject' })).statusCode).toBe(201);
  });

  it('409 quota_exceeded: is refused after 20 in an hour, and while 50 are open', async () => {
    for (let i = 0; i < 20; i++) await open();
    expect((await post(collection, newTicket())).json()).toMatchObject({
      limit_id: 'support.tickets-per-hour',
    });
    await sql`update tickets set created_at = now() - interval '2 hours'`.execute(app.services.db);
    await sql`
      insert into tickets (id, account_id, number, subject, category, severity, status, created_by, text_hash, created_at)
      select 'tkt_x' || n, ${account.id}, 100 + n, 'x', 'other', 'low', 'waiting_customer', '{}', '', now() - interval '2 hours'
      from generate_series(1, 30) as n`.execute(app.services.db);
    expect((await post(collection, newTicket())).json()).toMatchObject({ limit_id: 'support.open-tickets' });
    const [{ id }] = await openTickets();
    expect((await change(id, { status: 'closed' })).statusCode).toBe(200);
    await open();
    expect((await change(id, { status: 'open' })).json()).toMatchObject({ limit_id: 'support.open-tickets' });
  });
});

const openTickets = async () =>
  (await app.call({ url: `${collection}?status=open&limit=1`, key: key.key })).json<{ data: [Ticket] }>()
    .data;

async function linkedResource(): Promise<string> {
  const url = '/flexible-vps/v1/placement-groups';
  const payload = { name: `group-${++serial}`, location: 'fra1' };
  return (await app.call({ method: 'POST', url, payload, key: key.key })).json<{ id: string }>().id;
}

describe('a reply', () => {
  it.each(['waiting_customer', 'solved', 'closed'])('201: opens a ticket that is %s', async (status) => {
    const { id } = await open();
    await put(id, `status = '${status}', closed_at = ${status === 'closed' ? 'now()' : 'null'}`);
    expect((await reply(id)).statusCode).toBe(201);
    expect(await get(id)).toMatchObject({
      status: 'open',
      message_count: 2,
      closed_at: null,
      reopen_until: null,
    });
    const more = status === 'waiting_customer' ? [] : ['ticket.reopened'];
    expect(await eventsOf(id)).toEqual(['ticket.created', 'ticket.replied', ...more]);
  });

  it('201: closes the ticket if asked to, with the time until which it can be opened again', async () => {
    const { id } = await open();
    await reply(id, { body: 'Thank you!', close: true });
    const ticket = await get(id);
    expect(ticket.status).toBe('closed');
    expect(Date.parse(ticket.reopen_until ?? '') - Date.parse(ticket.closed_at ?? '')).toBe(30 * 86_400_000);
    expect(await eventsOf(id)).toEqual(['ticket.created', 'ticket.replied', 'ticket.closed']);
  });

  it('409 ticket_closed: comes too late 30 days after the end, and a follow-up is possible', async () => {
    const { id } = await open();
    await put(id, "status = 'closed', closed_at = now() - interval '31 days'");
    expect(outcomeOf(await reply(id))).toBe('409 ticket_closed');
    expect(outcomeOf(await change(id, { status: 'open' }))).toBe('409 ticket_closed');
    expect((await change(id, { status: 'closed' })).statusCode).toBe(200);
    expect((await open({ follow_up_of: id })).follow_up_of).toBe(id);
  });

  it('is kept as Markdown without HTML, and code stays as it is', async () => {
    const { id } = await open();
    const body =
      'See <b>this</b><script>alert(1)</script> and [me](javascript:alert(1)), a < b > c, <vhost>:\n```\n<script>x</script>\n```\nand `<b>` too';
    const answer = (await reply(id, { body })).json<TicketMessage>();
    expect(answer.body).toBe(
      'See this and [me](), a < b > c, <vhost>:\n```\n<script>x</script>\n```\nand `<b>` too'.replace(
        '[me]()',
        '[me]()',
      ),
    );
    expect(errorsOf(await reply(id, { body: '<i></i>' }))).toEqual(['/body too_short']);
  });
});

describe('a change', () => {
  it('200: closes and opens, and changes nothing if it is so already', async () => {
    const { id } = await open();
    expect((await change(id, { status: 'open' })).json()).toMatchObject({ status: 'open', closed_at: null });
    expect((await change(id, { status: 'closed' })).json()).toMatchObject({ status: 'closed' });
    const { etag } = await get(id);
    expect((await change(id, { status: 'closed' })).json()).toMatchObject({ etag });
    expect((await change(id, { status: 'open' })).json()).toMatchObject({ status: 'open' });
    expect(await eventsOf(id)).toEqual([
      'ticket.created',
      'ticket.updated',
      'ticket.closed',
      'ticket.updated',
      'ticket.reopened',
    ]);
  });
});

describe('a change of what a ticket is about', () => {
  it('200: keeps what was named before, also if it is gone, and refuses what is not there', async () => {
    const group = await linkedResource();
    const { id } = await open({ resource_ids: [group] });
    await app.call({ method: 'DELETE', url: `/flexible-vps/v1/placement-groups/${group}`, key: key.key });
    const next = await linkedResource();
    const changed = await change(id, { resource_ids: [group, next] });
    expect(changed.json()).toMatchObject({ resource_ids: [group, next] });
    expect(errorsOf(await change(id, { resource_ids: ['pg_none'] }))).toEqual([
      '/resource_ids/0 unknown_reference',
    ]);
    expect(errorsOf(await change(id, { resource_ids: [], severity: 'critical' }))).toEqual([
      '/resource_ids required',
    ]);
  });
});

describe('a list of tickets', () => {
  it('finds words in subjects and messages, and takes signs as signs', async () => {
    const { id } = await open({ subject: 'Load at 100% all day' });
    const other = await open();
    await reply(other.id, { body: 'The fan is loud.' });
    const found = async (q: string) =>
      (await app.call({ url: `${collection}?q=${encodeURIComponent(q)}`, key: key.key }))
        .json<{ data: Ticket[] }>()
        .data.map((each) => each.id);
    expect(await found('100%')).toEqual([id]);
    expect(await found('0%x')).toEqual([]);
    expect(await found('FAN IS')).toEqual([other.id]);
  });
});

describe('a text with a secret', () => {
  const secret = `postgres://app:${randomBytes(6).toString('hex')}@db.example.com/app`;
  const own = issueKey().key;

  it('422 secret_in_text: is refused with its place, and nothing of it is kept', async () => {
    const { id } = await open();
    const body = `We connect with ${secret} and it fails.`;
    const response = await post(collection, newTicket({ body }), { 'idempotency-key': 'one' });
    expect(outcomeOf(response)).toBe('422 secret_in_text');
    expect(response.json().errors).toMatchObject([{ pointer: '/body', code: 'password_in_url', offset: 16 }]);
    expect(errorsOf(await reply(id, { body: `Look: ${own}` }))).toEqual(['/body hostplane_key']);
    const hidden = ['<b>', '</i>', '<!-- -->', '<br/>'].map((tag) => own.slice(0, 9) + tag + own.slice(9));
    for (const text of [
      ...hidden,
      '-----BEGIN<b></b> OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----',
    ])
      expect(outcomeOf(await reply(id, { body: `Look: ${text}` })), text).toBe('422 secret_in_text');
    expect(
      errorsOf(await reply(id, { body: 'x', attachments: [file('a.txt', `line\nurl=${secret}`)] })),
    ).toEqual(['/attachments/0/content_base64 password_in_url']);
    await app.services.audit.flush();
    expect(await tablesWith(secret)).toEqual([]);
    expect(await tablesWith(own)).toEqual([]);
    expect(response.body).not.toContain('db.example.com');
  });

  it.each([
    'postgres://app:password@db.example.com',
    'https://user:<password>@example.com',
    'redis://:$PASS@host',
  ])('is accepted if a placeholder stands there: %s', async (url) => {
    await open({ body: `We connect with ${url} and it fails.` });
  });
});

/** The tables in which a text stands. */
async function tablesWith(text: string): Promise<string[]> {
  const { db } = app.services;
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(
    db,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await sql`
      select 1 from ${sql.table(name)} t where strpos(t::text, ${text}) > 0 limit 1`.execute(db);
    if (hits.length > 0) found.push(name);
  }
  return found;
}

const file = (filename: string, content: string | Buffer, content_type = 'text/plain') => ({
  filename,
  content_type,
  content_base64: Buffer.from(content).toString('base64'),
});
