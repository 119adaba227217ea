import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventShape, MessageView } from '../../kernel/events/schema.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { withStatus } from '../../testing/receiver.ts';
import { PostOffice, verify } from '../../testing/webhook-setup.ts';

let office: PostOffice;
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());
beforeEach(() => office.clear());

const joined = {
  type: 'member.joined',
  resource: { type: 'member', id: 'mem_1', name: 'Zoë' },
  message: 'Zoë joined.',
};

describe('a message', () => {
  it('contains the event, with a signature over every byte', async () => {
    const customer = await office.customer();
    const { secret, id } = (await customer.set('bot')).json();
    await customer.tell({ ...joined, data: { email: 'zoë@example.com', role: 'admin' } });
    await office.sender().settle();
    const [test, message] = office.receiver.received;
    expect(JSON.parse(String(test?.body))).toMatchObject({
      type: 'webhook.test',
      data: { type: 'webhook.test', resource: { type: 'webhook', id, name: 'bot' } },
    });
    const declared = office.app.registry.eventTypes.get('webhook.test')!;
    const told = JSON.parse(String(test?.body));
    expect(faultsOf(MessageView, told)).toEqual([]);
    expect(faultsOf(eventShape(declared), told.data)).toEqual([]);
    expect(message).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', host: `localhost:${office.receiver.port}` },
    });
    const body = JSON.parse(String(message?.body));
    expect(body).toEqual({
      type: 'member.joined',
      timestamp: body.data.occurred_at,
      data: expect.anything(),
    });
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      sequence: expect.any(Number),
      severity: 'info',
      family: 'account',
      resource: joined.resource,
      message: 'Zoë joined.',
      data: { email: 'zoë@example.com', role: 'admin' },
      schema_version: 1,
    });
    for (const one of office.receiver.received) {
      expect(verify(one, secret)).toEqual([0]);
      expect(one.headers['webhook-id']).toMatch(/^msg_/);
      expect(Math.abs(Number(one.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    }
    expect((await customer.attempts('bot')).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ]);
    expect(await customer.show('bot')).toMatchObject({
      status: 'active',
      last_success_at: expect.any(String),
      last_failure: null,
      pending_count: 0,
    });
  });

  it('is also signed with the old secret for a day after a rotation', async () => {
    const customer = await office.customer();
    const sender = office.sender();
    const { secret: old } = (await customer.set('bot')).json();
    const rotated = (await customer.set('bot', { secret_version: 2 })).json();
    expect(rotated).toMatchObject({ secret_version: 2, secret: expect.stringMatching(/^whsec_/) });
    expect(Date.parse(rotated.previous_secret_valid_until) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    const signedBy = async () => {
      office.receiver.received.length = 0;
      await customer.tell(joined);
      await sender.settle();
      const last = office.receiver.received.at(-1);
      return [
        last && verify(last, old, rotated.secret),
        String(last?.headers['webhook-signature']).split(' ').length,
      ];
    };
    expect(await signedBy()).toEqual([[0, 1], 2]);
    office.later(24 * 3600 + 1);
    expect(await signedBy()).toEqual([[1], 1]);
  });

  it('is sent only for subscribed events, and not for those from before or while disabled', async () => {
    const customer = await office.customer();
    const sender = office.sender();
    await customer.tell(joined);
    await customer.set('members', { event_types: ['member.joined', 'api_key.*'] });
    await customer.set('keys', { event_types: ['api_key.revoked'] });
    await customer.tell(
      joined,
      { type: 'member.removed' },
      { type: 'api_key.expired' },
      { type: 'api_key.revoked' },
    );
    await sender.settle();
    const types = async (name: string) => (await customer.attempts(name)).map(({ event_type }) => event_type);
    expect(await types('members')).toEqual([
      'webhook.test',
      'member.joined',
      'api_key.expired',
      'api_key.revoked',
    ]);
    expect(await types('keys')).toEqual(['webhook.test', 'api_key.revoked']);
    await customer.set('keys', { event_types: ['api_key.revoked'], enabled: false });
    await customer.tell({ type: 'api_key.revoked' });
    await sender.settle();
    await customer.set('keys', { event_types: ['api_key.revoked'] });
    await customer.tell({ type: 'api_key.revoked' });
    await sender.settle();
    expect(await types('keys')).toHaveLength(3);
  });
});

describe('a webhook does not receive', () => {
  it('events that the key that set it may not read', async () => {
    const narrow = await office.customer([
      'account:webhooks:write',
      'account:webhooks:read',
      'account:members:read',
      'account:webhook-deliveries:read',
    ]);
    await narrow.set('narrow');
    await narrow.tell(joined, {
      type: 'api_key.revoked',
      resource: { type: 'api_key', id: 'key_1', name: 'ci' },
    });
    await office.sender().settle();
    expect((await narrow.attempts('narrow')).map(({ event_type }) => event_type)).toEqual([
      'webhook.test',
      'member.joined',
    ]);
  });

  it('events that its owner may no longer read, even if the message was already queued', async () => {
    const customer = await office.customer(['*:*:*'], 'admin');
    const { db } = office.app.services;
    const sender = office.sender();
    office.receiver.answer(withStatus(500));
    await customer.set('bot');
    await customer.tell(joined);
    await sender.settle();
    const become = (role: 'billing' | 'admin') =>
      db.updateTable('members').set({ role }).where('id', '=', customer.ownerId).execute();
    await become('billing');
    await customer.tell(joined);
    office.later(10);
    office.receiver.answer(withStatus(204));
    await sender.settle();
    await become('admin');
    const seen = (await customer.attempts('bot')).map(({ event_type, status }) => `${event_type} ${status}`);
    // The test message needs no permission. Both messages are sent at once, and either may end first.
    expect([seen.slice(0, 2), seen.slice(2).sort()]).toEqual([
      ['webhook.test failed', 'member.joined failed'],
      ['member.joined discarded', 'webhook.test succeeded'],
    ]);
  });

  it('events about itself', async () => {
    const customer = await office.customer();
    const { id } = (await customer.set('one')).json();
    const other = (await customer.set('two')).json().id;
    await customer.tell(
      { type: 'webhook.failing', resource: { type: 'webhook', id, name: 'one' } },
      { type: 'webhook.test', resource: { type: 'webhook', id: other, name: 'two' } },
    );
    await office.sender().settle();
    expect((await customer.attempts('one')).map(({ event_type }) => event_type)).toEqual(['webhook.test']);
    expect((await customer.attempts('two')).map(({ event_type }) => event_type)).toEqual([
      'webhook.test',
      'webhook.failing',
      'webhook.test',
    ]);
  });

  it('any event while the account is suspended; it receives them afterwards', async () => {
    const customer = await office.customer();
    const { db } = office.app.services;
    const sender = office.sender();
    await customer.set('bot');
    const become = (status: 'suspended' | 'active') =>
      db.updateTable('accounts').set({ status }).where('id', '=', customer.account.id).execute();
    await become('suspended');
    await customer.tell(joined);
    await sender.settle();
    expect(office.receiver.received).toEqual([]);
    expect(await customer.show('bot')).toMatchObject({
      status: 'disabled',
      disabled_reason: 'account_suspended',
    });
    await become('active');
    await sender.settle();
    expect(office.receiver.received).toHaveLength(2);
    expect(await customer.show('bot')).toMatchObject({ status: 'active', disabled_reason: null });
  });
});

describe('a redelivery', () => {
  it('sends the same message with the same id and a new signature, and is not retried', async () => {
    const customer = await office.customer();
    const sender = office.sender();
    const { secret } = (await customer.set('bot')).json();
    await sender.settle();
    const [first] = await customer.attempts('bot');
    office.later(3600);
    const answer = await customer.redeliver('bot', first?.id ?? '');
    expect([answer.statusCode, answer.json()]).toMatchObject([
      202,
      { status: 'pending', trigger: 'redelivery', attempt: 2, message_id: first?.message_id },
    ]);
    const again = await customer.redeliver('bot', first?.id ?? '');
    expect([again.statusCode, again.json().id]).toEqual([200, answer.json().id]);
    office.receiver.answer(withStatus(500));
    await sender.settle();
    const [sent, resent, ...rest] = office.receiver.received;
    expect(rest).toEqual([]);
    expect(resent?.headers['webhook-id']).toBe(sent?.headers['webhook-id']);
    expect(resent?.body).toEqual(sent?.body);
    expect(
      Number(resent?.headers['webhook-timestamp']) - Number(sent?.headers['webhook-timestamp']),
    ).toBeGreaterThan(3500);
    expect(resent && verify(resent, secret)).toEqual([0]);
    expect((await customer.attempts('bot', 'status=pending')).length).toBe(0);
  });
});
