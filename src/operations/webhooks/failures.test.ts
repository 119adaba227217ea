import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReceiver, drippingHeaders, withStatus } from '../../testing/receiver.ts';
import { type Customer, PostOffice } from '../../testing/webhook-setup.ts';
import { DELAYS } from './retries.ts';

let office: PostOffice;
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());
beforeEach(() => office.clear());

const joined = { type: 'member.joined', resource: { type: 'member', id: 'mem_1', name: 'Zoë' } };
const DAY = 86_400;

async function webhook(body: object = {}): Promise<Customer> {
  const customer = await office.customer();
  expect((await customer.set('bot', body)).statusCode).toBe(201);
  return customer;
}

describe('a message that fails', () => {
  it('is retried ten times as scheduled, with the same id, and then no more', async () => {
    office.receiver.answer(withStatus(500));
    const customer = await webhook({ event_types: ['member.joined'] });
    const sender = office.sender();
    await sender.settle();
    for (const delay of DELAYS) {
      const before = office.receiver.received.length;
      office.later(delay - 2);
      await sender.settle();
      expect([delay, office.receiver.received.length]).toEqual([delay, before]);
      office.later(3);
      await sender.settle();
      expect([delay, office.receiver.received.length]).toEqual([delay, before + 1]);
    }
    office.later(30 * DAY);
    await sender.settle();
    expect(office.receiver.received).toHaveLength(10);
    expect(new Set(office.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(office.receiver.received.map(({ body }) => String(body))).size).toBe(1);
    office.later(-30 * DAY);
    const attempts = await customer.attempts('bot');
    expect(attempts.map(({ attempt, trigger, status }) => [attempt, trigger, status])).toEqual(
      attempts.map((_, i) => [i + 1, i === 0 ? 'event' : 'retry', 'failed']),
    );
    expect(attempts).toHaveLength(10);
    expect(attempts.map(({ next_attempt_at }) => next_attempt_at === null)).toEqual([
      ...DELAYS.map(() => false),
      true,
    ]);
  });

  it.each([
    ['redirect', 302, 302, withStatus(302, { location: 'https://example.com/' })],
    ['http_status', 404, 404, withStatus(404)],
    ['timeout', null, null, () => undefined],
    ['timeout', 'because of headers that never end', null, drippingHeaders],
    ['connect', null, null, (response: { destroy(): void }) => response.destroy()],
  ] as const)('records the reason: %s %s', async (code, _, status, answering) => {
    office.receiver.answer(answering as never);
    const customer = await webhook();
    await office.sender(code === 'timeout' ? { timeoutMs: 200 } : {}).settle();
    const [first] = await customer.attempts('bot');
    expect(first).toMatchObject({ status: 'failed', error_code: code, http_status: status });
    expect(await customer.show('bot')).toMatchObject({
      status: 'active',
      last_failure: { code, http_status: status },
      pending_count: 1,
    });
  });

  it('keeps the first KiB of the answer, whatever is in it', async () => {
    office.receiver.answer((response) => response.writeHead(500).end(`\0${'ä'.repeat(2000)}`));
    const customer = await webhook();
    await office.sender().settle();
    const [first] = await customer.attempts('bot');
    expect(first?.response_excerpt?.startsWith('ää')).toBe(true);
    expect(Buffer.byteLength(first?.response_excerpt ?? '')).toBeLessThanOrEqual(1026);
  });

  it('waits as long as the receiver asks, up to an hour', async () => {
    office.receiver.answer(withStatus(429, { 'retry-after': '600' }));
    const customer = await webhook();
    const sender = office.sender();
    await sender.settle();
    office.later(590);
    await sender.settle();
    expect(office.receiver.received).toHaveLength(1);
    office.receiver.answer(withStatus(503, { 'retry-after': '999999' }));
    office.later(11);
    await sender.settle();
    expect(office.receiver.received).toHaveLength(2);
    const [pending] = await customer.attempts('bot', 'status=pending');
    const waitSeconds = (Date.parse(pending?.next_attempt_at ?? '') - office.now.getTime()) / 1000;
    expect(Math.abs(waitSeconds - 3600)).toBeLessThan(30);
  });

  it('counts as delivered after a 2xx status, however slowly the body arrives', async () => {
    office.receiver.answer((response) => void response.writeHead(200).write('beg'));
    const customer = await webhook();
    await office.sender({ timeoutMs: 2000 }).settle();
    expect(await customer.attempts('bot')).toMatchObject([{ status: 'succeeded', http_status: 200 }]);
  });
});

describe('a message is not sent', () => {
  it('to an address that is not public, even if the name had another address before', async () => {
    const other = await createReceiver('127.0.0.2', office.receiver.port);
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2', '127.0.0.1'], ['10.0.0.1']];
    const sender = office.sender({
      egress: { allow: ['127.0.0.2'] },
      resolve: async () => answers.shift() ?? [],
    });
    const before = office.receiver.connections();
    other.answer(withStatus(500));
    const customer = await webhook();
    for (const seconds of [0, 6, 301, 1801]) {
      office.later(seconds);
      await sender.settle();
    }
    const codes = (await customer.attempts('bot')).map(({ error_code }) => error_code);
    expect(codes).toEqual(['http_status', 'blocked_address', 'blocked_address', 'blocked_address', null]);
    expect([other.connections(), office.receiver.connections()]).toEqual([1, before]);
    await other.close();
  });
});

describe('a webhook that fails', () => {
  const webhookEvents = ['webhook.failing', 'webhook.recovered', 'webhook.disabled'];

  it('has the status failing after three failed messages in a row, and active after the next success', async () => {
    office.receiver.answer(withStatus(500));
    const customer = await webhook();
    const sender = office.sender();
    await customer.tell(joined);
    await sender.settle();
    expect(await customer.show('bot')).toMatchObject({ status: 'active' });
    await customer.tell(joined);
    await sender.settle();
    expect(await customer.show('bot')).toMatchObject({ status: 'failing', enabled: true });
    await customer.tell(joined);
    await sender.settle();
    expect(await customer.eventsOf(...webhookEvents)).toEqual(['webhook.failing']);
    office.receiver.answer(withStatus(200));
    office.later(10);
    await sender.settle();
    expect(await customer.show('bot')).toMatchObject({ status: 'active', last_failure: expect.anything() });
    expect(await customer.eventsOf(...webhookEvents)).toEqual(['webhook.failing', 'webhook.recovered']);
  });

  it('does not have the status failing if its messages fail hours apart', async () => {
    office.receiver.answer(withStatus(500));
    const customer = await webhook({ event_types: ['member.joined'] });
    const sender = office.sender();
    await sender.settle();
    for (let i = 0; i < 3; i++) {
      await office.app.services.db.deleteFrom('webhook_deliveries').where('status', '=', 'pending').execute();
      office.later(7200);
      await customer.tell(joined);
      await sender.settle();
    }
    expect(await customer.show('bot')).toMatchObject({ status: 'active' });
  });

  it('is disabled after five days without a success, and waiting messages are dropped', async () => {
    office.receiver.answer(withStatus(500));
    const customer = await webhook();
    const sender = office.sender();
    for (let day = 0; day <= 5; day++) {
      await customer.tell(...(day === 0 ? [joined, joined] : [joined]));
      await sender.settle();
      if (day < 5) expect([day, await customer.show('bot')]).toMatchObject([day, { status: 'failing' }]);
      office.later(DAY);
    }
    expect(await customer.show('bot')).toMatchObject({
      status: 'disabled',
      enabled: false,
      disabled_reason: 'failures',
      pending_count: 0,
    });
    expect(await customer.eventsOf(...webhookEvents)).toEqual(['webhook.failing', 'webhook.disabled']);
    const before = office.receiver.received.length;
    await customer.tell(joined);
    office.later(DAY);
    await sender.settle();
    expect(office.receiver.received).toHaveLength(before);
    const [last] = await customer.attempts('bot', 'status=failed');
    expect((await customer.redeliver('bot', last?.id ?? '')).json().code).toBe('webhook_disabled');
    office.receiver.answer(withStatus(204));
    expect((await customer.set('bot')).json()).toMatchObject({ status: 'active', disabled_reason: null });
    await customer.tell(joined);
    await sender.settle();
    expect(office.receiver.received).toHaveLength(before + 1);
  });

  it('is disabled immediately by 410', async () => {
    office.receiver.answer(withStatus(410));
    const customer = await webhook();
    const { etag } = await customer.show('bot');
    await customer.tell(joined, joined);
    await office.sender({ slots: 1 }).settle();
    expect(await customer.show('bot')).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
      pending_count: 0,
    });
    expect((await customer.show('bot'))['etag']).not.toBe(etag);
    expect(office.receiver.received).toHaveLength(1);
    expect((await customer.attempts('bot')).map(({ status }) => status)).toEqual([
      'failed',
      'discarded',
      'discarded',
    ]);
    expect(await customer.eventsOf(...webhookEvents)).toEqual(['webhook.disabled']);
  });

  it('drops the oldest messages beyond the limit, with one event', async () => {
    office.receiver.answer(withStatus(500));
    const customer = await webhook();
    await customer.set('other');
    const sender = office.sender({ mostPending: 5 });
    const happenings = Array.from({ length: 8 }, (_, i) => ({ ...joined, message: `number ${i}` }));
    await customer.tell(...happenings);
    await sender.settle();
    const attempts = await customer.attempts('bot', 'limit=200');
    const pending = attempts.filter(({ status }) => status === 'pending');
    expect(pending.length).toBeLessThanOrEqual(5);
    const dropped = attempts.filter(({ status }) => status === 'discarded');
    expect(dropped.length).toBeGreaterThanOrEqual(4);
    expect(dropped.every((old) => pending.every((young) => old.event_id < young.event_id))).toBe(true);
    for (let i = 0; i < 2; i++) {
      office.later(10);
      await customer.tell(...happenings);
      await sender.settle();
    }
    expect(await customer.eventsOf(...webhookEvents)).toEqual(['webhook.failing', 'webhook.failing']);
  });
});
