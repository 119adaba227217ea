/**
 * What a model reads through MCP it can send back through MCP, whole and as it is: nothing changes then. If it forgets
 * `customer_text`, at most the free texts change, never ports, addresses, keys or other members with an effect. This
 * holds for the largest resources, too, which a model reads in parts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Managed, membersOf } from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { TSchema } from '../kernel/schema.ts';
import { toolFor } from '../surfaces/mcp/describe.ts';
import { unfolded } from '../surfaces/mcp/unfold.ts';
import { writtenNames } from '../surfaces/mcp/written-names.ts';
import { resourceMark } from '../surfaces/openapi/resource-mark.ts';
import { createTestApp } from '../testing/app.ts';
import {
  behindProxy,
  connectMcp,
  type McpClient,
  type McpServer,
  startMcp,
  type ToolAnswer,
} from '../testing/mcp.ts';
import { settle } from '../testing/operations.ts';
import { collect } from './fixtures.ts';
import {
  type Case,
  cases,
  type Json,
  lastingIn,
  type Made,
  make,
  paramsOf,
  readBy,
  readThrough,
} from './made-resources.ts';
import { sampleBy } from './sample.ts';
import { createWorld, endpoints, urlOf, type World } from './walk.ts';

/** Names of members that hold free text, as the requests say. */
const free = new Set([...writtenNames({ endpoints }), 'labels']);

let world: World;
let mcp: McpServer;

beforeAll(async () => {
  const app = await createTestApp({ provider: behindProxy });
  mcp = await startMcp(app);
  world = await createWorld(app);
});
afterAll(async () => {
  await mcp?.close();
  await world?.app.close();
});

const withoutTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => (name === 'customer_text' ? undefined : member));

/** An empty text stays where it is, so names decide here. */
const withoutFreeTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => (free.has(name) ? undefined : member));

const changeable = cases.filter(({ managed }) => managed.updater !== undefined);

/** A resource, as the API and as an agent with MCP read and change it. */
class Subject {
  readonly #mark;
  readonly managed;
  readonly updater: Endpoint;
  readonly #made: Made;
  readonly #agent: McpClient;

  constructor({ managed }: Case, made: Made, agent: McpClient) {
    this.managed = managed;
    this.#mark = resourceMark(managed.creator, endpoints);
    this.updater = managed.updater as Endpoint;
    this.#made = made;
    this.#agent = agent;
  }

  read(): Promise<Json> {
    return readBy(this.#mark, this.#made.names, world);
  }

  async lasting(): Promise<Json> {
    return lastingIn(this.managed, await this.read()) as Json;
  }

  shown(more: object = {}): Promise<Json> {
    return readThrough(this.#mark, this.#made.names, async (reader, query) => {
      const call = { operation: reader.id, path: paramsOf(reader, this.#made.names), query, ...more };
      const { isError, json } = await this.#agent.call('call_read', call);
      expect(isError, JSON.stringify(json)).toBe(false);
      return Array.isArray(json.data) ? json : json.data;
    });
  }

  async send(body: unknown): Promise<ToolAnswer> {
    const { updater } = this;
    const call = { operation: updater.id, path: paramsOf(updater, this.#made.names), body };
    const answer = await this.#agent.call(toolFor(updater), call);
    await settle(world.app);
    return answer;
  }

  async patch(payload: object): Promise<void> {
    const url = urlOf(this.updater, paramsOf(this.updater, this.#made.names));
    const answer = await world.app.call({ method: this.updater.method, url, payload, key: world.key.key });
    expect(answer.statusCode, answer.body.slice(0, 2000)).toBeLessThan(300);
    await settle(world.app);
  }
}

async function open(each: Case): Promise<{ subject: Subject; agent: McpClient }> {
  const agent = await connectMcp(mcp.url, world.key.key);
  return { subject: new Subject(each, await make(each, world), agent), agent };
}

/** A member that no update takes: its id, or that of what it belongs to. */
function fixedIn({ updater }: Managed, shown: Json): string {
  const isFixed = (name: string): boolean =>
    /(^|_)id$/.test(name) && !Object.hasOwn(membersOf(updater?.body), name);
  const name = Object.keys(shown).find(isFixed);
  if (name === undefined) throw new Error('It shows no id.');
  return name;
}

describe.each(sampleBy(changeable, ({ managed }) => managed.creator))('$title', (each) => {
  const { managed } = each;
  let subject: Subject;
  let agent: McpClient;

  beforeAll(async () => {
    ({ subject, agent } = await open(each));
  });
  afterAll(() => agent?.close());

  it.each([
    ['what was read', (read: Json) => read],
    ['what was read, with the texts in their places', unfolded<Json>],
  ])('is not changed by sending back %s', async (_, sent) => {
    const before = await subject.lasting();
    const { isError, text } = await subject.send(sent(await subject.shown()));
    expect(isError, text).toBe(false);
    expect(await subject.lasting()).toEqual(before);
  });

  it('loses at most free texts if customer_text is left out', async () => {
    const own = async () => withoutFreeTexts(await subject.lasting());
    const before = await own();
    await subject.send(withoutTexts(await subject.shown()));
    expect(await own()).toEqual(before);
  });

  it('is changed in no other member by sending back one that differs and cannot be changed', async () => {
    const before = await subject.lasting();
    const shown = await subject.shown();
    const { isError, json } = await subject.send({ ...shown, [fixedIn(managed, shown)]: 'another' });
    expect([isError, json.errors?.[0]]).toEqual([true, expect.objectContaining({ code: 'immutable' })]);
    expect(await subject.lasting()).toEqual(before);
  });
});

interface ListSchema {
  readonly items?: { readonly properties?: object };
  readonly maxItems?: number;
  readonly anyOf?: readonly ListSchema[];
}

/** Ten objects fit into an answer of MCP. */
const FEW = 10;

/** The lists of objects in the body of a call that can be longer than an answer of MCP, with their greatest lengths. */
function objectListsOf({ body }: Endpoint): [string, number | undefined][] {
  return Object.entries(membersOf(body as TSchema)).flatMap(([name, schema]) => {
    const branches = [schema as ListSchema, ...((schema as ListSchema).anyOf ?? [])];
    const list = branches.find(({ items }) => items?.properties !== undefined);
    return list === undefined || (list.maxItems ?? Infinity) <= FEW ? [] : [[name, list.maxItems]];
  });
}

const largest = collect('largest');
const withLists = changeable.filter(
  ({ managed, vary }) => vary === undefined && objectListsOf(managed.updater as Endpoint).length > 0,
);

it('the largest body of each update with lists of objects is known', () => {
  const found = withLists.map(({ managed: { updater } }) => {
    const body = (largest[updater?.id ?? '']?.() ?? {}) as Record<string, readonly unknown[]>;
    const lists = Object.entries(body).map(([name, items]) => [name, items.length]);
    return [updater?.id, lists];
  });
  expect(found).toEqual(
    withLists.map(({ managed: { updater } }) => [updater?.id, objectListsOf(updater as Endpoint)]),
  );
  expect(found.length).toBeGreaterThan(1);
});

describe.each(withLists)('$title, as large as can be', (each) => {
  let subject: Subject;
  let agent: McpClient;
  const [list = ''] = objectListsOf(each.managed.updater as Endpoint)[0] ?? [];

  beforeAll(async () => {
    ({ subject, agent } = await open(each));
    await subject.patch(largest[subject.updater.id]?.() ?? {});
  });
  afterAll(() => agent?.close());

  const itemsIn = (read: Json): Json[] => read[list] as Json[];
  const leftOutIn = (read: Json): string[] =>
    itemsIn(read).flatMap(({ left_out: text }) => text ?? []) as string[];

  /** The list in parts, as the cursors of the answers lead to them. */
  async function parts(): Promise<Json[]> {
    const read: Json[] = [await subject.shown()];
    for (let cursor = leftOutIn(read[0] as Json).at(-1); cursor !== undefined; ) {
      const part = await subject.shown({ cursor });
      read.push(part);
      cursor = itemsIn(part).at(-1)?.['left_out'] as string | undefined;
    }
    return read;
  }

  it('is read whole, in parts', async () => {
    const read = await parts();
    expect(read.length).toBeGreaterThan(1);
    const items = read.flatMap(itemsIn).filter((item) => !('left_out' in item));
    expect(unfolded(items)).toEqual(itemsIn(await subject.read()));
    for (const { text } of agent.calls) expect(text.length).toBeLessThan(24_000);
  });

  it('is not changed by sending back a part as it was read', async () => {
    const before = await subject.lasting();
    const read = await parts();
    for (const part of [read[0], read[Math.floor(read.length / 2)], read.at(-1)]) {
      const { isError, text } = await subject.send(part);
      expect(isError, text.slice(0, 2000)).toBe(false);
    }
    expect(await subject.lasting()).toEqual(before);
  });

  it('is changed in one item by sending back a part with this item changed', async () => {
    const before = itemsIn(await subject.lasting());
    const last = (await parts()).at(-1) as Json;
    const [changed] = itemsIn(last).slice(-1);
    const others = itemsIn(last).slice(0, -1);
    const { isError, text } = await subject.send({ [list]: [...others, { ...changed, description: 'new' }] });
    expect(isError, text.slice(0, 2000)).toBe(false);
    const after = itemsIn(await subject.lasting());
    const plain = (items: readonly Json[]) => items.map(({ id: _, ...rest }) => rest);
    expect(plain(after)).toEqual(plain([...before.slice(0, -1), { ...before.at(-1), description: 'new' }]));
  });
});

it('rules of a firewall, which have ports and texts, are tested', () => {
  expect(changeable.map(({ managed }) => managed.name)).toEqual(
    expect.arrayContaining(['firewall', 'network', 'budget', 'webhook', 'vm']),
  );
});
