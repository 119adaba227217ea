/** The state table of each resource is published and complete, and the endpoints follow it in every state. */
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { DELETED, type Lifecycle, OTHER_CAUSES } from '../kernel/lifecycle.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { exemptFrom } from './exemptions.ts';
import type { Way } from './fixture.ts';
import { collect } from './fixtures.ts';
import { sampleBy } from './sample.ts';
import { createWorld, endpoints, type Params, paramNames, paramsFor, requestTo, type World } from './walk.ts';

const registry = buildRegistry(families);
const lifecycles: readonly Lifecycle[] = registry.families.flatMap(({ lifecycles = [] }) => lifecycles);
const document = exampleDocument(registry);

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

/** For some endpoints the allowed states depend on the body. The ways of an endpoint together match its state table. */
const ways = collect('ways');

const endpointsOf = (life: Lifecycle): string[] =>
  [...new Set(life.transitions.flatMap(({ by }) => by))].filter((id) => !OTHER_CAUSES.includes(id)).sort();

/** The path of one such resource, taken from an endpoint that reads, updates or deletes it. */
function pathOf({ resource }: Lifecycle): Endpoint['path'] {
  const own = endpoints.find(
    ({ resource: { name, role }, path }) =>
      name === resource && ['read', 'update', 'declare', 'delete'].includes(role) && path.endsWith('}'),
  );
  if (own === undefined) throw new Error(`No endpoint is about one ${resource}.`);
  return own.path;
}

interface Case {
  readonly life: Lifecycle;
  readonly endpoint: Endpoint;
  readonly resource: string;
  readonly id: string;
}

const named: readonly Case[] = lifecycles.flatMap((life) =>
  endpointsOf(life)
    .filter((id) => life.transitions.some(({ by, from }) => from !== null && by.includes(id)))
    .flatMap((id) => {
      const endpoint = endpoints.find((each) => each.id === id);
      return endpoint === undefined ? [] : [{ life, endpoint, resource: life.resource, id }];
    }),
);

/** Whether the path of the endpoint names the resource or its parent. */
const reaches = ({ life, endpoint }: Case): boolean =>
  endpoint.path.startsWith(pathOf(life)) || pathOf(life).startsWith(`${endpoint.path}/`);
const walked = named.filter(reaches);
/** Its path names an operation, never a resource; operation.test.ts checks what can be cancelled. */
const isCancel = ({ id }: Case): boolean => id === 'cancelOperation';

describe.each(lifecycles)('the states of a $resource', (life) => {
  it('are all in its published status, with the table', () => {
    const { schemas } = document.components;
    const { title = '', 'x-states': table } = life.ShownStatus as { title?: string; 'x-states'?: unknown };
    const $ref = `#/components/schemas/${title}`;
    const users = Object.values(schemas)
      .map((schema) => (schema.properties as Record<string, object> | undefined)?.[life.member])
      .filter((member) => member !== undefined && '$ref' in member && member.$ref === $ref);
    expect(users.length).toBeGreaterThan(0);
    expect(schemas[title]).toMatchObject({ enum: [...life.states, DELETED], 'x-states': table });
  });

  it('are exactly those of the transition table', () => {
    const inTable = life.transitions.flatMap(({ from, through, to }) => [
      ...(from ?? []),
      ...(through === undefined ? [] : [through]),
      ...to.filter((state) => state !== null),
    ]);
    expect([...new Set(inTable)].sort()).toEqual([...life.states].sort());
  });

  it('are changed by endpoints that exist, or by the system', () => {
    const strangers = endpointsOf(life).filter((id) => !endpoints.some((endpoint) => endpoint.id === id));
    expect(strangers).toEqual([]);
  });

  it('that are transitional are left again', () => {
    const left = life.transitions.flatMap(({ from, through, to }) =>
      to.some((state) => state !== through) ? [...(from ?? []), through] : [],
    );
    expect(life.transitional.filter((state) => !left.includes(state))).toEqual([]);
    expect(life.transitional.filter((state) => !life.states.includes(state))).toEqual([]);
  });
});

it('every endpoint of a table is called in each state of its resource', () => {
  const notWalked = named
    .filter((each) => !reaches(each) && !isCancel(each))
    .map(({ resource, id }) => `${id} (${resource})`);
  expect([...new Set(notWalked)].sort()).toEqual(exemptFrom('statesWalked'));
});

it('the test cases of an endpoint cover exactly the states that its table allows', () => {
  for (const [id, each] of Object.entries(ways)) {
    const life = walked.find(({ endpoint }) => endpoint.id === id)?.life;
    const together = new Set(each.flatMap(({ states }) => states));
    expect([id, [...together].sort()]).toEqual([id, [...(life?.allowedFor(id) ?? [])].sort()]);
  }
});

async function put({ life }: Case, id: string, state: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update ${sql.table(life.table)} set ${sql.ref(life.member)} = ${state} where id = ${id}
  `.execute(app.services.db);
  expect(numAffectedRows).toBe(1n);
}

function verdictOf(response: LightMyRequestResponse, state: string, allowed: readonly string[]): string {
  if (response.statusCode < 300) return 'accepted';
  const { code, ...body } = response.json<{
    code: string;
    current_state?: string;
    allowed_states?: string[];
  }>();
  if (response.statusCode !== 409) return `${response.statusCode} ${response.body}`;
  if (code === 'operation_in_progress' || (code === 'resource_suspended' && state === 'suspended'))
    return 'refused';
  const isTold =
    body.current_state === state &&
    JSON.stringify([...(body.allowed_states ?? [])].sort()) === JSON.stringify([...allowed].sort());
  return isTold ? 'refused' : `409 without the legal states: ${response.body}`;
}

describe.each(sampleBy(walked, ({ endpoint }) => endpoint))('$id ($resource)', (each) => {
  const { life, endpoint } = each;
  const path = pathOf(life);
  const own = paramNames({ path }).at(-1) ?? '';
  const allowed = life.allowedFor(endpoint.id);
  let params: Params;

  beforeAll(async () => {
    params = await paramsFor(endpoint.path.length >= path.length ? endpoint : { path }, world);
    await settle(app);
  });

  const asked: readonly (Omit<Way, 'body'> & Partial<Way>)[] = ways[endpoint.id] ?? [{ states: allowed }];
  it.each(asked)('is accepted in exactly $states $body', async ({ body, states }) => {
    const query = { ...endpoint.example.query, dry_run: true };
    const example = await requestTo(endpoint, world, { params, query });
    const request = body === undefined ? example : { ...example, payload: body };
    await settle(app);
    const found: [string, string][] = [];
    for (const state of life.states) {
      await put(each, params[own] ?? '', state);
      const response = await app.call({ ...request, key: world.key.key });
      found.push([state, verdictOf(response, state, allowed.includes(state) ? states : allowed)]);
    }
    expect(found).toEqual(
      life.states.map((state) => [state, states.includes(state) ? 'accepted' : 'refused']),
    );
  });
});
