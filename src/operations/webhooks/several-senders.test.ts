import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { EVENTS_CHANNEL } from '../../kernel/events/store.ts';
import { Listener } from '../../store/listener.ts';
import { drippingHeaders, withStatus } from '../../testing/receiver.ts';
import { PostOffice } from '../../testing/webhook-setup.ts';
import { WEBHOOKS_CHANNEL } from './attempts/store.ts';

let office: PostOffice;
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());
beforeEach(() => office.clear());

const joined = { type: 'member.joined', resource: { type: 'member', id: 'mem_1', name: 'Zoë' } };
const ids = () => office.receiver.received.map(({ headers }) => String(headers['webhook-id']));

it('two senders on one database make each attempt once, at most ten at a time for one webhook', async () => {
  const customer = await office.customer();
  await customer.set('bot');
  await customer.tell(...Array.from({ length: 60 }, () => joined));
  let [now, most] = [0, 0];
  office.receiver.answer((response) => {
    now++;
    most = Math.max(most, now);
    setTimeout(() => {
      now--;
      response.writeHead(204).end();
    }, 20);
  });
  const senders = [office.sender(), office.sender(), office.sender({ slots: 3 })];
  await Promise.all(senders.map((sender) => sender.settle()));
  expect(ids()).toHaveLength(61);
  expect(new Set(ids()).size).toBe(61);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(10);
  expect((await customer.attempts('bot', 'limit=200')).every(({ status }) => status === 'succeeded')).toBe(
    true,
  );
});

it('a sender that dies before it records an attempt loses nothing: the message is sent again with the same id', async () => {
  const customer = await office.customer();
  await customer.set('bot');
  const dying = office.sender();
  const { db } = office.app.services;
  // As after a crash: the message arrives, but before its sender can record that, the lease belongs to
  // another owner.
  office.receiver.answer((response) => {
    const taken = db.updateTable('webhook_deliveries').set({ lease_owner: 'nobody' });
    void taken
      .where('status', '=', 'pending')
      .execute()
      .then(() => response.writeHead(204).end());
  });
  const settling = dying.settle();
  await expect.poll(() => ids().length).toBe(1);
  await settling;
  expect(await customer.attempts('bot')).toMatchObject([{ status: 'pending', attempt: 1 }]);
  office.receiver.answer(withStatus(204));
  await office.sender().settle();
  expect(ids()).toHaveLength(1);
  office.later(61);
  await office.sender().settle();
  expect(ids()).toHaveLength(2);
  expect(new Set(ids()).size).toBe(1);
  expect(await customer.attempts('bot')).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
});

it('a sender that is closed releases its unfinished attempts immediately', async () => {
  const customer = await office.customer();
  await customer.set('bot');
  office.receiver.answer(() => undefined);
  const leaving = office.sender();
  leaving.start();
  await expect.poll(() => ids().length).toBe(1);
  await leaving.close(0);
  office.receiver.answer(withStatus(204));
  await office.sender().settle();
  expect(new Set(ids()).size).toBe(1);
  expect(await customer.attempts('bot')).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
});

it('a running sender is notified of events and redeliveries, and finds due retries', async () => {
  const customer = await office.customer();
  await customer.set('bot');
  const sender = office.sender();
  const listener = new Listener(office.app.database.connection);
  listener.subscribe(EVENTS_CHANNEL, sender);
  listener.subscribe(WEBHOOKS_CHANNEL, sender);
  await listener.start();
  sender.start();
  await expect.poll(() => ids().length).toBe(1);
  await customer.tell(joined);
  await expect.poll(() => ids().length).toBe(2);
  await expect.poll(async () => (await customer.attempts('bot', 'status=succeeded')).length).toBe(2);
  const [first] = await customer.attempts('bot');
  expect((await customer.redeliver('bot', first?.id ?? '')).statusCode).toBe(202);
  await expect.poll(() => ids().length).toBe(3);
  expect(new Set(ids()).size).toBe(2);
  await sender.close();
  await listener.close();
});

it('a slow webhook does not delay others', async () => {
  const customer = await office.customer();
  await customer.set('slow', { url: `${office.receiver.url}/slow` });
  await customer.tell(...Array.from({ length: 30 }, () => joined));
  const other = await office.customer();
  await other.set('quick');
  office.receiver.answer((response, { path }) => {
    if (!path.endsWith('/slow')) response.writeHead(204).end();
  });
  const sender = office.sender({ slots: 12 });
  sender.start();
  await expect.poll(async () => (await other.attempts('quick'))[0]?.status).toBe('succeeded');
  // It gets another slot only while it holds fewer than are free.
  expect(sender.sending).toBe(6);
  await sender.close(0);
});

it('an account with slow receivers does not delay other accounts', async () => {
  const customer = await office.customer();
  for (const name of ['a', 'b', 'c', 'd']) await customer.set(name, { url: `${office.receiver.url}/slow` });
  await customer.tell(...Array.from({ length: 30 }, () => joined));
  office.receiver.answer((response, received) => {
    if (received.path.endsWith('/slow')) drippingHeaders(response, received);
    else response.writeHead(204).end();
  });
  const sender = office.sender({ slots: 12 });
  sender.start();
  await expect.poll(() => sender.sending).toBe(6);
  const other = await office.customer();
  await other.set('quick');
  sender.heard(other.account.id);
  await expect.poll(async () => (await other.attempts('quick'))[0]?.status).toBe('succeeded');
  expect(sender.sending).toBe(6);
  await sender.close(0);
});
