/**
 * Acts that loosen something need re-authentication: whoever finds an unlocked screen may stop keys and members, and may
 * let nothing work that did not work before. An act that can do both, by a choice in its input, asks by direction.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_STATE } from '../kernel/access/store.ts';
import { type Act, isRead } from '../surfaces/portal/act.ts';
import { acts } from '../surfaces/portal/acts/index.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { actFixtures } from './act-fixtures.ts';
import { createActAccount, outcomeOfAct, sendAct } from './act-world.ts';

const changes = acts.filter((act) => act.authority !== 'none' && !isRead(act));
const inAccounts = changes.filter(({ authority }) => authority !== 'person');

/** The members of the input of which one of a few values is chosen, with these values. */
function choicesOf({ input }: Pick<Act, 'input'>): [string, unknown[]][] {
  const { properties = {} } = input as JsonSchema & { properties?: Record<string, JsonSchema> };
  return Object.entries(properties).flatMap(([name, schema]): [string, unknown[]][] => {
    if (schema['type'] === 'boolean') return [[name, [true, false]]];
    return Array.isArray(schema['enum']) ? [[name, schema['enum']]] : [];
  });
}

/** Every input of the act that differs from the one of its fixture in one choice. */
const inputsOf = (act: Act): object[] => [
  {},
  ...choicesOf(act).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
];

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ portal: true });
});
afterAll(() => app.close());

/** Calls the act in a new account, in which all that can be stopped is stopped once the act is prepared. */
async function attempt(act: Act, choice: object) {
  const prepare = actFixtures[act.id];
  if (prepare === undefined)
    throw new Error(`Write a fixture for the act ${act.id} in src/laws/act-fixtures.ts.`);
  const world = await createActAccount(app);
  const { params = {}, input } = await prepare(await world.actAs('owner'));
  const { db } = app.services;
  const { id } = world.account;
  const strict = { keys_suspended: true, key_max_lifetime_days: 1, key_default_approval: 'writes' as const };
  await db.updateTable('accounts').set(strict).where('id', '=', id).execute();
  await db.insertInto('ip_allowlists').values({ account_id: id, mode: 'enforce' }).execute();
  const before = await looseEnds(id);
  const acting = await world.actAs('owner', { reauthenticated: false });
  const answer = await sendAct(act, acting, { params, input: { ...input, ...choice } });
  const added = (await looseEnds(id)).filter((line) => !before.includes(line));
  return { outcome: outcomeOfAct(answer), added };
}

/** Everything that works, and every limit that is missing. An act that adds a line has loosened something. */
async function looseEnds(accountId: string): Promise<string[]> {
  const { db } = app.services;
  const { rows } = await sql<{ line: string }>`
    select 'the key ' || id || ' works with ' || permissions::text || ' for ' || coalesce(owner_id, 'nobody') as line
      from api_keys where account_id = ${accountId} and ${KEY_STATE} = 'active'
    union all select 'the member ' || id || ' acts as ' || role from members
      where account_id = ${accountId} and status = 'active'
    union all select 'the address ' || lower(email) || ' is invited as ' || role from members
      where account_id = ${accountId} and status = 'invited'
    union all select 'addresses of ' || cidr::text || ' are let in' from ip_allowlist_entries where account_id = ${accountId}
    union all select 'all addresses are let in' from accounts a where a.id = ${accountId}
      and not exists (select from ip_allowlists l where l.account_id = a.id and l.mode = 'enforce')
    union all select case when keys_suspended then null else 'the keys are not stopped' end from accounts where id = ${accountId}
    union all select case when mfa_required then null else 'one factor is enough' end from accounts where id = ${accountId}
    union all select 'keys live for ' || coalesce(key_max_lifetime_days, 0) from accounts where id = ${accountId}
    union all select 'keys have the approval ' || key_default_approval from accounts where id = ${accountId}`.execute(
    db,
  );
  return rows.flatMap(({ line }) => (line === null ? [] : [line]));
}

describe('every choice in the input of an act', () => {
  it.each(changes.map((act): [string, Act] => [act.id, act]))(
    'of %s is declared as changing the need for re-authentication or as harmless',
    (_, act) => {
      const { reauthentication, harmlessChoices = [] } = act;
      const choices = choicesOf(act).map(([name]) => name);
      if (typeof reauthentication === 'object') {
        const [by] = choicesOf(act).filter(([name]) => name === reauthentication.by);
        expect(by?.[1]).toEqual(expect.arrayContaining([...reauthentication.safe]));
        // With no dangerous value, or with no safe one, the act has no direction.
        expect([0, by?.[1].length]).not.toContain(reauthentication.safe.length);
      }
      const decided = typeof reauthentication === 'object' ? [reauthentication.by] : [];
      if (reauthentication !== true) expect([...decided, ...harmlessChoices].sort()).toEqual(choices.sort());
    },
  );
});

describe('without a recent re-authentication', () => {
  const directed = inAccounts.filter(({ reauthentication }) => typeof reauthentication === 'object');
  it('some acts are allowed in one direction and refused in the other', () =>
    expect(directed.map(({ id }) => id)).toContain('suspendAllKeys'));

  it.each(
    directed.flatMap((act) =>
      choicesOf(act)
        .filter(([name]) => typeof act.reauthentication === 'object' && name === act.reauthentication.by)
        .flatMap(([name, values]) =>
          values.map((value): [string, string, unknown, Act] => [act.id, name, value, act]),
        ),
    ),
  )('%s with %s = %s is refused unless the value is declared safe', async (_, name, value, act) => {
    const { outcome } = await attempt(act, { [name]: value });
    const { safe } = act.reauthentication as { safe: readonly unknown[] };
    expect(outcome).toBe(safe.includes(value) ? `${act.status ?? 200}` : '403 reauthentication_required');
  });

  it.each(inAccounts.map((act): [string, Act] => [act.id, act]))(
    '%s makes nothing less safe',
    async (_, act) => {
      for (const choice of inputsOf(act)) {
        const { outcome, added } = await attempt(act, choice);
        expect([choice, outcome, added]).toEqual([choice, expect.stringMatching(/^[234]/), []]);
      }
    },
  );
});
