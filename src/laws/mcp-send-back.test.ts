/**
 * What a model reads through MCP it can send back through MCP: nothing changes then. If it forgets `customer_text`, at
 * most the free texts change, never ports, addresses, keys or other members with an effect.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOf } from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import { toolFor } from '../surfaces/mcp/describe.ts';
import { writtenNames } from '../surfaces/mcp/written-names.ts';
import { resourceMark } from '../surfaces/openapi/resource-mark.ts';
import { createTestApp } from '../testing/app.ts';
import { behindProxy, connectMcp, type McpClient, type McpServer, startMcp } from '../testing/mcp.ts';
import { settle } from '../testing/operations.ts';
import {
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
import { createWorld, endpoints, type World } from './walk.ts';

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

/** The object without the members that the call does not take; those in `customer_text` are members, too. */
function settable(updater: Endpoint, shown: Json): Json {
  const takes = (part: Json) =>
    Object.fromEntries(Object.entries(part).filter(([name]) => name in membersOf(updater.body)));
  const { customer_text: texts } = shown;
  return { ...takes(shown), ...(texts === undefined ? {} : { customer_text: takes(texts as Json) }) };
}

const withoutTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => (name === 'customer_text' ? undefined : member));

/** An empty text stays where it is, so names decide here. */
const withoutFreeTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) => (free.has(name) ? undefined : member));

const changeable = cases.filter(({ managed }) => managed.updater !== undefined);

describe.each(sampleBy(changeable, ({ managed }) => managed.creator))('$title', (each) => {
  const { managed } = each;
  const mark = resourceMark(managed.creator, endpoints);
  const updater = managed.updater as Endpoint;
  let made: Made;
  let agent: McpClient;

  beforeAll(async () => {
    made = await make(each, world);
    agent = await connectMcp(mcp.url, world.key.key);
  });
  afterAll(() => agent?.close());

  const read = (): Promise<Json> => readBy(mark, made.names, world);
  const shown = (): Promise<Json> =>
    readThrough(mark, made.names, async (reader, query) => {
      const call = { operation: reader.id, path: paramsOf(reader, made.names), query };
      const { isError, json } = await agent.call('call_read', call);
      expect(isError, JSON.stringify(json)).toBe(false);
      return Array.isArray(json.data) ? json : json.data;
    });

  async function send(body: unknown): Promise<boolean> {
    const call = { operation: updater.id, path: paramsOf(updater, made.names), body };
    const answer = await agent.call(toolFor(updater), call);
    await settle(world.app);
    return !answer.isError;
  }

  it('is not changed by sending back what was read', async () => {
    const before = lastingIn(managed, await read());
    expect(await send(settable(updater, await shown()))).toBe(true);
    expect(lastingIn(managed, await read())).toEqual(before);
  });

  it('loses at most free texts if customer_text is left out', async () => {
    const own = async () => withoutFreeTexts(lastingIn(managed, await read()));
    const before = await own();
    await send(withoutTexts(settable(updater, await shown())));
    expect(await own()).toEqual(before);
  });
});

it('rules of a firewall, which have ports and texts, are tested', () => {
  expect(changeable.map(({ managed }) => managed.name)).toEqual(
    expect.arrayContaining(['firewall', 'network', 'budget', 'webhook', 'vm']),
  );
});
