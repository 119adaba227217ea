/** Trials of the problems that any request can meet: its form, its version, its repetition, its cost. */
import { take } from '../kernel/idempotency/store.ts';
import { createServer } from '../surfaces/http/server.ts';
import { settle } from '../testing/operations.ts';
import { insertDelivery } from '../testing/webhooks.ts';
import type { Customer, Trials } from './next-step-trial.ts';
import { freshName } from './world.ts';

const WHOAMI = '/account/v1/whoami';
const WIDGETS = '/workshop/v1/widgets';
const MACHINES = '/workshop/v1/machines';
const GROUPS = '/flexible-vps/v1/placement-groups';

const widget = (more: object = {}) => ({ body: { name: freshName(), size: 1, ...more } });
const TICKETS = '/support/v1/tickets';
const ticket = (more: object = {}) => ({
  subject: `Question ${freshName()}`,
  body: 'The machine answers only sometimes.',
  category: 'technical',
  ...more,
});
const group = () => ({ name: freshName(), location: 'fra1' });

async function deliveryOf(customer: Customer): Promise<{ url: string; webhook: string; event: string }> {
  const { db, app, vps } = customer;
  const put = await customer.call('PUT', '/account/v1/webhooks/steps', {
    body: { url: 'https://hooks.example.com/', event_types: ['vm.*'] },
  });
  const { id } = put.json<{ id: string }>();
  const test = db.selectFrom('events').select('id').where('resource_id', '=', id);
  const { id: event } = await test.executeTakeFirstOrThrow();
  const delivery = await insertDelivery(app.services, vps.account, id, { event_id: event });
  return { url: `/account/v1/webhooks/${id}/deliveries/${delivery}/redeliver`, webhook: id, event };
}

export const requestTrials: Trials = {
  duplicate_ticket: async (c) => {
    const body = ticket();
    await c.made(TICKETS, body);
    return c.instead(['POST', TICKETS, { body }], () => [
      'POST',
      TICKETS,
      { body, headers: { 'idempotency-key': freshName() } },
    ]);
  },
  ticket_closed: async (c) => {
    const id = await c.made(TICKETS, ticket());
    const closed = { status: 'closed', closed_at: new Date(Date.now() - 31 * 86_400_000) } as const;
    await c.db.updateTable('tickets').set(closed).where('id', '=', id).execute();
    return c.instead(['POST', `${TICKETS}/${id}/messages`, { body: { body: 'Once more.' } }], () => [
      'POST',
      TICKETS,
      { body: ticket({ follow_up_of: id }) },
    ]);
  },
  malformed_request: (c) =>
    c.instead(['POST', WIDGETS, { body: '{', headers: { 'content-type': 'application/json' } }], () => [
      'POST',
      WIDGETS,
      widget(),
    ]),
  invalid_cursor: (c) => c.instead(['GET', `${WIDGETS}?cursor=x`], () => ['GET', WIDGETS]),
  not_found: async (c) => {
    const id = await c.made(WIDGETS, widget().body);
    return c.instead(['GET', `${WIDGETS}/${id.replace(/.{4}$/, '0000')}`], async () => {
      const { data } = (await c.call('GET', WIDGETS)).json<{ data: { id: string }[] }>();
      return ['GET', `${WIDGETS}/${data[0]?.id}`];
    });
  },
  endpoint_not_found: (c) =>
    c.instead(['GET', '/account/v1/who-am-i'], async () => {
      const { data } = (await c.call('GET', '/account/v1/my-apis?limit=200')).json<{
        data: { path: string }[];
      }>();
      return ['GET', data.find(({ path }) => path.endsWith('/whoami'))?.path ?? ''];
    }),
  method_not_allowed: async (c) => {
    const answer = await c.call('PUT', WIDGETS);
    const allowed = String(answer.headers['allow']).split(', ');
    return { refused: answer.json(), follow: () => c.call(allowed[0] as 'GET', WIDGETS) };
  },
  not_acceptable: (c) =>
    c.instead(['GET', WHOAMI, { headers: { accept: 'text/html' } }], () => [
      'GET',
      WHOAMI,
      { headers: { accept: 'application/json' } },
    ]),
  operation_in_progress: async (c) => {
    const id = await c.made(MACHINES, { name: freshName() });
    await settle(c.app);
    const restart = { body: { action: 'restart' } };
    await c.call('POST', `${MACHINES}/${id}/actions`, restart);
    return c.instead(['POST', `${MACHINES}/${id}/actions`, restart], async (refused) => {
      await settle(c.app);
      await c.call('GET', `/account/v1/operations/${refused['operation_id']}?wait=60`);
      return ['POST', `${MACHINES}/${id}/actions`, restart];
    });
  },
  operation_queue_full: async (c) => {
    const id = await c.made(MACHINES, { name: freshName() });
    await settle(c.app);
    const request = ['POST', `${MACHINES}/${id}/actions`, { body: { action: 'extend' } }] as const;
    let answer = await c.call(...request);
    while (answer.statusCode < 300) answer = await c.call(...request);
    return {
      refused: answer.json(),
      follow: async () => {
        await settle(c.app);
        return c.call(...request);
      },
    };
  },
  not_cancellable: async (c) => {
    const answer = await c.call('POST', MACHINES, { body: { name: freshName() } });
    const url = `/account/v1/operations/${answer.json().operation.id}`;
    await settle(c.app);
    return c.instead(['POST', `${url}/cancel`, { body: {} }], () => ['GET', `${url}?wait=60`]);
  },
  name_taken: async (c) => {
    const taken = widget();
    await c.made(WIDGETS, taken.body);
    return c.instead(['POST', WIDGETS, taken], () => ['POST', WIDGETS, widget()]);
  },
  quota_exceeded: async (c) => {
    const limit = { account_id: c.accountId, limit_id: 'flexible-vps.placement-groups', value: 1 };
    await c.db.insertInto('account_limits').values(limit).execute();
    const id = await c.made(GROUPS, group());
    return {
      ...(await c.instead(['POST', GROUPS, { body: group() }], async () => {
        await c.call('DELETE', `${GROUPS}/${id}`);
        return ['POST', GROUPS, { body: group() }];
      })),
      subject: id,
    };
  },
  budget_exceeded: async (c) => {
    const url = '/account/v1/budgets/cap';
    const budget = { thresholds: [{ percent: 100 }], action: 'block_new_cost' };
    await c.call('PUT', url, { body: { ...budget, amount: '0.01' } });
    return c.instead(['POST', WIDGETS, widget()], async () => {
      await c.call('PUT', url, { body: { ...budget, amount: '100' } });
      return ['POST', WIDGETS, widget()];
    });
  },
  idempotency_key_conflict: async (c) => {
    const headers = (key: string) => ({ headers: { 'idempotency-key': key } });
    await c.call('POST', WIDGETS, { ...widget(), ...headers('one') });
    return c.instead(['POST', WIDGETS, { ...widget(), ...headers('one') }], () => [
      'POST',
      WIDGETS,
      { ...widget(), ...headers('two') },
    ]);
  },
  idempotency_in_progress: async (c) => {
    const request = ['POST', WIDGETS, { ...widget(), headers: { 'idempotency-key': 'busy' } }] as const;
    const refused = await c.db.transaction().execute(async (tx) => {
      await take(tx, c.accountId, 'busy');
      return c.refused(...request);
    });
    return { refused, follow: () => c.call(...request) };
  },
  webhook_disabled: async (c) => {
    const { url, webhook } = await deliveryOf(c);
    const set = (enabled: boolean) =>
      c.call('PUT', `/account/v1/webhooks/${webhook}`, {
        body: { url: 'https://hooks.example.com/', event_types: ['vm.*'], enabled },
      });
    await set(false);
    return c.instead(['POST', url, { body: {} }], async () => {
      await set(true);
      return ['POST', url, { body: {} }];
    });
  },
  event_expired: async (c) => {
    const { url, event } = await deliveryOf(c);
    await c.db.deleteFrom('events').where('id', '=', event).execute();
    return c.instead(['POST', url, { body: {} }], () => ['GET', '/account/v1/webhooks?name=steps']);
  },
  cursor_expired: async (c) => {
    const { next_cursor } = (await c.call('GET', '/account/v1/events')).json();
    await deliveryOf(c);
    await c.made(WIDGETS, widget().body);
    const first = c.db
      .selectFrom('events')
      .select('id')
      .where('account_id', '=', c.accountId)
      .orderBy('sequence');
    const { id } = await first.executeTakeFirstOrThrow();
    await c.db.deleteFrom('events').where('id', '=', id).execute();
    return c.instead(['GET', `/account/v1/events?cursor=${next_cursor}`], () => [
      'GET',
      '/account/v1/events?since=now',
    ]);
  },
  etag_mismatch: async (c) => {
    const url = `${WIDGETS}/${await c.made(WIDGETS, widget().body)}`;
    const patch = (tag: string) =>
      ['PATCH', url, { body: { size: 2 }, headers: { 'if-match': tag } }] as const;
    return c.instead([...patch('"old"')], async () => [
      ...patch(String((await c.call('GET', url)).headers['etag'])),
    ]);
  },
  payload_too_large: (c) =>
    c.instead(['POST', WIDGETS, widget({ labels: { note: 'x'.repeat(2_000_000) } })], () => [
      'POST',
      WIDGETS,
      widget(),
    ]),
  unsupported_media_type: (c) =>
    c.instead(['POST', WIDGETS, { body: 'size=1', headers: { 'content-type': 'text/plain' } }], () => [
      'POST',
      WIDGETS,
      widget(),
    ]),
  validation_failed: (c) =>
    c.instead(['POST', WIDGETS, widget({ size: 0 })], () => ['POST', WIDGETS, widget()]),
  secret_in_text: (c) =>
    c.instead(['POST', WIDGETS, widget({ labels: { note: c.vps.key } })], () => ['POST', WIDGETS, widget()]),
  internal_error: async (c) => {
    const { db } = c.app.services;
    const broken = createServer({
      ...c.app.services,
      db: db.withPlugin({
        transformQuery: () => {
          throw new Error('A handler met something it did not expect.');
        },
        transformResult: ({ result }) => Promise.resolve(result),
      }),
    });
    const headers = { 'x-api-key': c.vps.key, 'idempotency-key': 'again' };
    const { body } = widget();
    await c.call('GET', WHOAMI);
    const answer = await broken.inject({ method: 'POST', url: WIDGETS, headers, payload: body });
    await broken.close();
    return { refused: answer.json(), follow: () => c.call('POST', WIDGETS, { body, headers }) };
  },
};
