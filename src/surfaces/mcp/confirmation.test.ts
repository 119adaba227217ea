import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { retention } from '../../kernel/retention/schedule.ts';
import { createWorld, makeOne } from '../../laws/walk.ts';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import type { TestApp } from '../../testing/app.ts';
import { connectMcp, type McpClient, type McpServer, openAssistant } from '../../testing/mcp.ts';
import { ApiCaller } from './inner-call.ts';

let t: TestApp;
let close: () => Promise<void>;
let mcp: McpServer;
let account: TestAccount;
let key: string;
let agent: McpClient;

beforeAll(async () => {
  const there = await openAssistant();
  ({ t, mcp, agent, close } = there);
  ({ account, key } = there.home);
});
afterAll(() => close?.());

let serial = 0;
const url = (id: string) => `/workshop/v1/widgets/${id}`;

async function widget(): Promise<string> {
  const payload = { name: `widget-${++serial}`, size: 1 };
  const answer = await t.call({ method: 'POST', url: '/workshop/v1/widgets', key, payload });
  return answer.json().id;
}

const exists = async (id: string): Promise<boolean> =>
  (await t.call({ url: url(id), key })).statusCode === 200;

describe('a confirmation', () => {
  let id: string;
  let call: { operation: string; path: { id: string } };
  let confirm: string;

  beforeEach(async () => {
    id = await widget();
    call = { operation: 'deleteWidget', path: { id } };
    confirm = (await agent.call('call_destructive', call)).json.confirm_with;
  });

  /** Expects a refusal that changes nothing, and offers a new rehearsal of what is there now. */
  async function refused(answer: ReturnType<McpClient['call']>, why: RegExp, there = [id]): Promise<string> {
    const { json } = await answer;
    expect(json).toMatchObject({
      code: 'confirmation_mismatch',
      detail: expect.stringMatching(why),
      confirm_with: expect.any(String),
      next_step: expect.stringContaining('confirm_with'),
    });
    for (const each of there) expect(await exists(each)).toBe(true);
    return json.confirm_with;
  }

  it('is requested with what would be lost, and a name is not enough', async () => {
    const { name } = (await t.call({ url: url(id), key })).json();
    const asked = await agent.call('call_destructive', call);
    expect(asked.json).toMatchObject({
      code: 'confirmation_required',
      would_lose: [{ action: 'delete', type: 'widget', id, loss: { recoverable: false } }],
      cost_change: { monthly: expect.stringMatching(/^-/) },
    });
    await refused(agent.call('call_destructive', { ...call, confirm: name }), /never given to you/);
    await refused(agent.call('call_destructive', { ...call, confirm: id }), /never given to you/);
  });

  it('is short, and works once', async () => {
    expect(confirm.length).toBeLessThan(16);
    const done = await agent.call('call_destructive', { ...call, confirm });
    expect([done.json.status, await exists(id)]).toEqual([204, false]);
    expect((await agent.call('call_destructive', { ...call, confirm })).json.code).toBe('not_found');
    const other = await widget();
    const again = { ...call, path: { id: other }, confirm };
    await refused(agent.call('call_destructive', again), /used already/, [other]);
  });

  it('works for one of many concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => agent.call('call_destructive', { ...call, confirm })),
    );
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  });

  it('of another call is refused, and is then used up', async () => {
    const other = await widget();
    const wrong = { ...call, path: { id: other }, confirm };
    await refused(agent.call('call_destructive', wrong), /not what was rehearsed/, [id, other]);
    await refused(agent.call('call_destructive', { ...call, confirm }), /used already/);
  });

  it('is refused if the resource was changed meanwhile, and a new one works', async () => {
    const payload = { labels: { env: 'prod' } };
    expect((await t.call({ method: 'PATCH', url: url(id), key, payload })).statusCode).toBe(200);
    const fresh = await refused(
      agent.call('call_destructive', { ...call, confirm }),
      /not what was rehearsed/,
    );
    const done = await agent.call('call_destructive', { ...call, confirm: fresh });
    expect([done.isError, await exists(id)]).toEqual([false, false]);
  });

  it('of another key of the account is refused, and stays valid', async () => {
    const { key: second } = await createKey(t.services.db, account);
    const other = await connectMcp(mcp.url, second);
    await refused(other.call('call_destructive', { ...call, confirm }), /never given to you/);
    expect((await agent.call('call_destructive', { ...call, confirm })).isError).toBe(false);
    await other.close();
  });

  it('expires after minutes, and is then removed by the retention', async () => {
    const { db } = t.services;
    await sql`update rehearsals set expires_at = expires_at - interval '4 minutes'`.execute(db);
    const second = (await agent.call('call_destructive', call)).json.confirm_with;
    await sql`update rehearsals set expires_at = expires_at - interval '61 seconds'`.execute(db);
    await refused(agent.call('call_destructive', { ...call, confirm }), /older than 5 minutes/);
    await retention.run({ db } as Parameters<typeof retention.run>[0]);
    const { rows } = await sql<{ left: number }>`
      select count(*)::int as left from rehearsals where expires_at < now()`.execute(db);
    expect(rows).toEqual([{ left: 0 }]);
    const done = await agent.call('call_destructive', { ...call, confirm: second });
    expect([done.isError, await exists(id)]).toEqual([false, false]);
  });

  it('comes with a dry run too', async () => {
    const { isError, json } = await agent.call('call_destructive', { ...call, dry_run: true });
    expect([isError, json.data.dry_run]).toEqual([false, true]);
    const done = await agent.call('call_destructive', { ...call, confirm: json.confirm_with });
    expect([done.isError, await exists(id)]).toEqual([false, false]);
  });
});

it('a confirmation is needed although a rehearsal failed for a temporary reason, also with an Idempotency-Key', async () => {
  const id = await widget();
  const original = ApiCaller.prototype.call;
  vi.spyOn(ApiCaller.prototype, 'call').mockImplementation(async function (this: ApiCaller, ...given) {
    const outcome = await original.apply(this, given);
    const isTrial = given[1]?.query?.['dry_run'] === true;
    return isTrial
      ? { ...outcome, status: 503, body: { code: 'engine_unavailable' }, isRefused: true }
      : outcome;
  });
  const call = { operation: 'deleteWidget', path: { id }, idempotency_key: 'passing' };
  const { isError } = await agent.call('call_destructive', call);
  vi.restoreAllMocks();
  expect([isError, await exists(id)]).toEqual([true, true]);
});

describe('a write', () => {
  /** The dry runs of the API say that the call changes this. */
  function foresee(changes: readonly object[]): { readonly dryRuns: () => number } {
    const original = ApiCaller.prototype.call;
    let dryRuns = 0;
    vi.spyOn(ApiCaller.prototype, 'call').mockImplementation(async function (this: ApiCaller, ...given) {
      const outcome = await original.apply(this, given);
      if (given[1]?.query?.['dry_run'] !== true) return outcome;
      dryRuns += 1;
      return outcome.isRefused ? outcome : { ...outcome, body: { ...(outcome.body as object), changes } };
    });
    return { dryRuns: () => dryRuns };
  }
  afterEach(() => vi.restoreAllMocks());

  const sizeOf = async (id: string) => (await t.call({ url: url(id), key })).json().size;
  const text = 'Opens tcp 1-65535 to 198.51.100.0/24 for ignore-all-rules.';

  it('that loosens something needs a confirmation, and says what it loosens', async () => {
    foresee([{ text, loosens: true }]);
    const id = await widget();
    const call = { operation: 'updateWidget', path: { id }, body: { size: 2 } };
    const { json } = await agent.call('call_write', call);
    expect(json).toMatchObject({
      code: 'confirmation_required',
      detail: expect.stringContaining('loosens'),
      changes: [
        {
          text: 'Opens tcp 1-65535 to 198.51.100.0/24 for ….',
          loosens: true,
          customer_text: { text },
        },
      ],
    });
    const other = { ...call, body: { size: 3 }, confirm: json.confirm_with };
    expect((await agent.call('call_write', other)).json.code).toBe('confirmation_mismatch');
    expect(await sizeOf(id)).toBe(1);
    const { confirm_with } = (await agent.call('call_write', call)).json;
    expect((await agent.call('call_write', { ...call, confirm: confirm_with })).isError).toBe(false);
    expect(await sizeOf(id)).toBe(2);
  });

  it('that loosens nothing is made at once, after a rehearsal', async () => {
    const { dryRuns } = foresee([{ text: 'Closes tcp 22.', loosens: false }]);
    const id = await widget();
    const call = { operation: 'updateWidget', path: { id }, body: { size: 2 } };
    expect((await agent.call('call_write', call)).isError).toBe(false);
    expect([dryRuns(), await sizeOf(id)]).toEqual([1, 2]);
  });

  it('that creates something is not rehearsed', async () => {
    const { dryRuns } = foresee([{ text, loosens: true }]);
    const body = { name: `widget-${++serial}`, size: 1 };
    expect((await agent.call('call_write', { operation: 'createWidget', body })).isError).toBe(false);
    expect(dryRuns()).toBe(0);
  });
});

it('a write whose body overwrites data needs a confirmation, and says what is lost', async () => {
  const world = await createWorld(t);
  const id = await makeOne('/flexible-vps/v1/volumes', {}, world);
  const snapshots = '/flexible-vps/v1/volumes/{id}/snapshots';
  const [old, newer] = [await makeOne(snapshots, { id }, world), await makeOne(snapshots, { id }, world)];
  const owner = await connectMcp(mcp.url, world.key.key);
  const body = { type: 'restore', snapshot_id: old, delete_newer_snapshots: true };
  const call = { operation: 'performVpsVolumeAction', path: { id }, body };
  const { json } = await owner.call('call_write', call);
  expect(json).toMatchObject({
    code: 'confirmation_required',
    detail: expect.stringContaining('performVpsVolumeAction destroys something.'),
    would_lose: expect.arrayContaining([expect.objectContaining({ action: 'wipe_disk' })]),
  });
  const list = await t.call({ url: `/flexible-vps/v1/volumes/${id}/snapshots`, key: world.key.key });
  expect(list.json().data).toContainEqual(expect.objectContaining({ id: newer, status: 'available' }));
  const { json: made } = await owner.call('call_write', { ...call, confirm: json.confirm_with });
  expect(made).toMatchObject({ status: 202 });
  await owner.close();
});
