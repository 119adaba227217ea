/**
 * A call with a key that needs approval is rolled back and waits for a person. After the approval, the key may make
 * exactly the call that the person saw, once.
 */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../kernel/record.ts';
import { isValid } from '../kernel/validation.ts';
import { approveRequest } from '../portal-api/approvals/decision.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { staff } from '../testing/portal.ts';
import { expectWellFormed, outcomeOf } from './responses.ts';
import { accountTables, allRowsOf, rowsOf } from './rows.ts';
import { sample } from './sample.ts';
import { createWorld, requestTo, type WalkRequest, type World, writes } from './walk.ts';

let app: TestApp;
let world: World;
/** A key that needs approval for every write. */
let held: TestKey;
/** A key that needs approval only for destructive calls. */
let careful: TestKey;

beforeAll(async () => {
  app = await createTestApp({ works: false });
});
afterAll(() => app.close());

beforeEach(async () => {
  world = await createWorld(app);
  held = await createKey(app.services.db, world.account, { approval: 'writes' });
  careful = await createKey(app.services.db, world.account, { approval: 'destructive' });
});

type Headers = Readonly<Record<string, string>>;

async function send(
  request: WalkRequest,
  by: TestKey,
  headers: Headers = {},
): Promise<LightMyRequestResponse> {
  const response = await app.call({ ...request, key: by.key, headers: { ...headers } });
  expectWellFormed(request.url, response);
  return response;
}

async function askFor(request: WalkRequest, by: TestKey, headers: Headers = {}): Promise<string> {
  const response = await send(request, by, headers);
  expect([request.url, outcomeOf(response)]).toEqual([request.url, '409 approval_required']);
  const { operation_id, approve_url, expires_at } = response.json();
  expect(approve_url).toContain(operation_id);
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
  return operation_id;
}

async function approve(id: string): Promise<void> {
  const input = { account_id: world.account.id, operation_id: id };
  await approveRequest(app.services.db, staff, input, app.registry);
}

/** Tables that the request for approval itself writes to, and the audit trail of every call. */
const TRACES = ['approvals', 'audit_entries', 'audit_heads', 'event_heads', 'events', 'operations'];

async function allRows(): Promise<unknown> {
  const tables = (await accountTables(world)).filter((table) => !TRACES.includes(table));
  const rows = await allRowsOf(world, tables);
  const text = JSON.stringify(rows, (name, value) => (name.startsWith('last_') ? undefined : value));
  const operations = (await rowsOf(world, 'operations')) as { id: string; type: string }[];
  return { text, operations: operations.filter(({ type }) => type !== 'approval.request') };
}

interface Member {
  readonly type?: string;
  readonly 'x-when'?: { readonly member: string; readonly is?: readonly unknown[] };
}

/** Another valid body for the same endpoint. */
function otherBody({ body }: Endpoint, sent: unknown): object | undefined {
  if (body === undefined || sent === null || typeof sent !== 'object') return undefined;
  const values = sent as Readonly<Record<string, unknown>>;
  const members = (body as { properties?: Readonly<Record<string, Member>> }).properties ?? {};
  // A member that matters because of another one may be required by it.
  const without = Object.keys(sent)
    .filter((name) => members[name]?.['x-when'] === undefined)
    .map((name) => Object.fromEntries(Object.entries(sent).filter(([other]) => other !== name)));
  const changed = Object.entries(sent).flatMap(([name, value]) =>
    typeof value === 'number' ? [{ ...sent, [name]: value + 1 }] : [],
  );
  // Another name is always valid. A member that the schema makes optional may still be needed if nothing replaces it.
  const renamed = 'name' in sent ? [{ ...sent, name: `${String(sent.name)}-b` }] : [];
  const switchedOn = Object.entries(members).flatMap(([name, { type, 'x-when': when }]) =>
    type === 'boolean' && when?.is?.includes(values[when.member]) ? [{ ...sent, [name]: true }] : [],
  );
  return [...changed, ...renamed, ...without, ...switchedOn].find((candidate) => isValid(body, candidate));
}

function otherQuery({ query }: Endpoint, url: string): string | undefined {
  const known = Object.entries(query.properties as Record<string, { type?: string; enum?: string[] }>);
  const values = known.flatMap(([name, schema]) => {
    if (url.includes(`${name}=`)) return [];
    if (schema.type === 'string') return [`${name}=${schema.enum?.[0] ?? 'other'}`];
    return schema.type === 'boolean' ? [`${name}=true`] : [];
  });
  const [first] = values;
  return first === undefined ? undefined : `${url}${url.includes('?') ? '&' : '?'}${first}`;
}

/** Requests that differ from the approved one in one part. */
async function variationsOf(endpoint: Endpoint, request: WalkRequest) {
  const { payload, ...bare } = request;
  const body = otherBody(endpoint, payload);
  const url = otherQuery(endpoint, request.url);
  const sibling = writes.find(({ path, method }) => path === endpoint.path && method !== endpoint.method);
  const next = await requestTo(endpoint, world);
  // Of what there is only once, the next request is about the same one again.
  const isSame = JSON.stringify(next) === JSON.stringify(request);
  const onSamePath = sibling && {
    ...(await requestTo(sibling, world)),
    url: request.url.split('?')[0] ?? '',
  };
  return Object.entries({
    ...(isSame ? {} : { 'another path or body': { request: next, headers: {} } }),
    'another If-Match': { request, headers: { 'if-match': '*' } },
    ...(body === undefined ? {} : { 'another body': { request: { ...bare, payload: body }, headers: {} } }),
    ...(url === undefined ? {} : { 'another query': { request: { ...request, url }, headers: {} } }),
    ...(onSamePath === undefined ? {} : { 'another method': { request: onSamePath, headers: {} } }),
  });
}

it('at least two destructive endpoints are tested', () => {
  expect(writes.filter(({ access }) => access === 'destructive').length).toBeGreaterThan(1);
});

describe.each(sample(writes))('$id', (endpoint) => {
  it('409: changes nothing, and repeated requests get the same approval', async () => {
    const request = await requestTo(endpoint, world);
    const before = await allRows();
    const id = await askFor(request, held);
    expect(await askFor(request, held)).toBe(id);
    expect(await allRows()).toEqual(before);
  });

  // Which other calls need approval, because they loosen something, is a law of its own: approved-changes.test.ts.
  it('needs approval if its access class is destructive, and listMyApis says so', async () => {
    if (endpoint.access === 'destructive')
      expect(outcomeOf(await send(await requestTo(endpoint, world), careful))).toBe('409 approval_required');
    const mine = await app.call({ url: '/account/v1/my-apis', key: careful.key });
    const row = mine
      .json()
      .data.find(({ operation_id }: { operation_id: string }) => operation_id === endpoint.id);
    expect(row.approval_required).toBe(endpoint.access === 'destructive');
  });

  it('200: a dry run needs no approval', async () => {
    const { example } = endpoint;
    const request = await requestTo(endpoint, world, { query: { ...example.query, dry_run: true } });
    expect((await send(request, held)).json()).toMatchObject({ dry_run: true });
  });

  it('runs once after the approval, with the answer that any key gets', async () => {
    const request = await requestTo(endpoint, world);
    const id = await askFor(request, held);
    await approve(id);
    const done = await send(request, held, { 'approval-id': id });
    expect(Object.keys(endpoint.answers)).toContain(outcomeOf(done));
    const separator = request.url.includes('?') ? '&' : '?';
    const repeat = await send({ ...request, url: `${request.url}${separator}dry_run=true` }, world.key);
    const again = await send(request, held, { 'approval-id': id });
    // A call that cannot be repeated is refused for that reason, before the approval is checked.
    const wanted = repeat.statusCode === 200 ? '409 approval_expired' : outcomeOf(repeat);
    expect(outcomeOf(again)).toBe(wanted);
  });

  it('409 approval_mismatch: for a request that differs from the approved one in any way', async () => {
    const request = await requestTo(endpoint, world);
    const id = await askFor(request, held);
    await approve(id);
    for (const [what, other] of await variationsOf(endpoint, request)) {
      const response = await send(other.request, held, { ...other.headers, 'approval-id': id });
      expect([endpoint.id, what, outcomeOf(response)]).toEqual([endpoint.id, what, '409 approval_mismatch']);
    }
    expect((await send(request, held, { 'approval-id': id })).statusCode).toBeLessThan(300);
  });
});
