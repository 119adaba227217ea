/** For each rule about an API key that a table holds: what it means for the key, and for the key that replaces it. */
import { isDeepStrictEqual } from 'node:util';
import { rollKey } from '../portal-api/keys/roll.ts';
import { createAccount, createKey, type TestAccount } from '../testing/accounts.ts';
import type { TestApp } from '../testing/app.ts';
import { rules, staff } from '../testing/portal.ts';

/** `before` is what the rule does to the key, `after` what it does to the replacement of its replacement. */
export type Trial = (app: TestApp) => Promise<{ readonly before: unknown; readonly after: unknown }>;

/** Rolls twice, because a rule that follows one roll may lose the next. */
async function rollTwice(app: TestApp, { id }: TestAccount, keyId: string): Promise<string> {
  const roll = (key_id: string) =>
    rollKey(app.services.db, staff, { account_id: id, key_id, overlap: '24h' }, rules);
  const { key } = await roll(keyId);
  return (await roll(key.id)).secret;
}

type Ask = (key: string) => Promise<unknown>;

/** `prepare` sets the rule up for a new key and returns how to see it at work; `seen` is what the key itself sees. */
const rolled =
  (
    seen: unknown,
    prepare: (app: TestApp, account: TestAccount, key: { id: string; key: string }) => Promise<Ask>,
    values: Parameters<typeof createKey>[2] = {},
  ): Trial =>
  async (app) => {
    const account = await createAccount(app.services.db);
    const key = await createKey(app.services.db, account, values);
    const ask = await prepare(app, account, key);
    const before = await ask(key.key);
    // A call that is refused for another reason would be refused alike before and after.
    if (!isDeepStrictEqual(before, seen)) throw new Error(`The trial is wrong: ${JSON.stringify(before)}`);
    return { before, after: await ask(await rollTwice(app, account, key.id)) };
  };

const WIDGETS = '/workshop/v1/widgets';

export const trials: Readonly<Record<string, Trial>> = {
  'budgets.scope': rolled('budget_exceeded', async (app, _, { id, key }) => {
    const payload = {
      amount: '0.01',
      scope: { api_key_ids: [id] },
      thresholds: [{ percent: 80 }],
      action: 'block_new_cost',
    };
    await app.call({ method: 'PUT', url: '/account/v1/budgets/agents', key, payload });
    return async (by) => {
      const made = { name: 'over-the-budget', size: 5 };
      const answer = await app.call({ method: 'POST', url: WIDGETS, key: by, payload: made });
      return answer.json().code;
    };
  }),

  'approvals.key_id': rolled(
    [true, 'approval_required'],
    async (app, _, { key }) => {
      const payload = { name: 'asked-for', size: 1 };
      const ask = (by: string) => app.call({ method: 'POST', url: WIDGETS, key: by, payload });
      const { operation_id } = (await ask(key)).json();
      return async (by) => {
        const headers = { 'approval-id': operation_id };
        const used = await app.call({ method: 'POST', url: WIDGETS, key: by, payload, headers });
        // The request is the same one, and its id is known: nobody has decided yet.
        return [(await ask(by)).json().operation_id === operation_id, used.json().code];
      };
    },
    { approval: 'writes' },
  ),

  'operations.api_key_id': rolled(
    [200, 1],
    async (app, _, { key }) => {
      const answer = await app.call({ method: 'POST', url: WIDGETS, key, payload: { name: 'own', size: 1 } });
      const { operation_id } = answer.json();
      return async (by) => {
        const read = await app.call({ url: `/account/v1/operations/${operation_id}`, key: by });
        const list = await app.call({ url: '/account/v1/operations', key: by });
        return [read.statusCode, list.json().data.length];
      };
    },
    // May start operations, and may not read what they are about.
    { permissions: ['workshop:widgets:write', 'account:operations:read'], approval: 'writes' },
  ),

  'events.actor': rolled(
    ['operation.started'],
    async (app, _, { key }) => {
      await app.call({ method: 'POST', url: WIDGETS, key, payload: { name: 'told', size: 1 } });
      return async (by) => {
        const { data } = (await app.call({ url: '/account/v1/events?types=operation.*', key: by })).json();
        return data.map(({ type }: { type: string }) => type);
      };
    },
    { permissions: ['workshop:widgets:write', 'account:events:read'], approval: 'writes' },
  ),
};
