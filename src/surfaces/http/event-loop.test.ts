/**
 * One request must not block the event loop for all others. The tests limit the CPU time of the whole request: it is
 * at least as long as any single block of the event loop and, unlike wall-clock time, does not grow on a busy
 * machine. The limit is thirty times the CPU time of JSON.parse for the same text, plus a fixed allowance. That is
 * far above the cost of a check that reads its input once or twice, and far below the cost of a quadratic one (the
 * worst case found took 39 s for 256 KiB).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../kernel/record.ts';
import { sample } from '../../laws/sample.ts';
import {
  createWorld,
  endpoints,
  type Params,
  paramsFor,
  probeOf,
  requestTo,
  urlOf,
  type World,
} from '../../laws/walk.ts';

const LIMIT = 256 * 1024;
const ALLOWANCE_MS = 2000;

const tried = sample(endpoints);
let world: World;

beforeAll(async () => {
  world = await createWorld();
  // Warms up every endpoint: code is compiled on its first run, and the limits do not include that cost.
  for (const endpoint of tried) await world.app.call({ ...probeOf(endpoint), key: world.key.key });
});

afterAll(() => world.app.close());

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Caches the parse time of each text, because most texts are sent to every endpoint. */
const parsed = new Map<string, number>();

function parseMs(text: string): number {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const start = process.cpuUsage();
  for (let i = 0; i < 10; i++) {
    try {
      JSON.parse(text);
    } catch {
      // Half of these texts are invalid JSON; JSON.parse needs time to find that out as well.
    }
  }
  const ms = cpuMs(start) / 10;
  parsed.set(text, ms);
  return ms;
}

async function spend(request: Parameters<World['app']['call']>[0]): Promise<{ status: number; ms: number }> {
  const start = process.cpuUsage();
  const { statusCode } = await world.app.call({ ...request, key: world.key.key });
  return { status: statusCode, ms: cpuMs(start) };
}

const fill = (one: string, length = LIMIT): string => one.repeat(Math.floor(length / one.length));
const list = (item: string, room = LIMIT - 100): string => `[${fill(`${item},`, room - item.length)}${item}]`;
const members = (name: (i: number) => string, value: string, room = LIMIT - 100): string => {
  const parts: string[] = [];
  for (let i = 0, size = 0; ; i++) {
    const part = `"${name(i)}":${value}`;
    size += part.length + 1;
    if (size > room) return `{${parts.join(',')}}`;
    parts.push(part);
  }
};

/** Each text is the largest of its kind that fits the limit. The server reads all of them, even those it refuses. */
const texts: readonly (readonly [string, string])[] = [
  ['lists in lists', fill('[', LIMIT / 2) + fill(']', LIMIT / 2)],
  ['objects in objects', fill('{"a":', LIMIT - 10)],
  ['one string', `"${fill('a', LIMIT - 2)}"`],
  ['backslashes', `"${fill('\\\\', LIMIT - 2)}"`],
  ['backslashes before an escape', `"${fill('\\\\', LIMIT - 20)}\\u0041"`],
  ['backslashes before a NUL', `"${fill('\\\\', LIMIT - 20)}\\u0000"`],
  ['escapes', `"${fill('\\u0041', LIMIT - 2)}"`],
  ['escapes that look like NUL', `"${fill('\\\\u0000', LIMIT - 2)}"`],
  ['surrogate pairs', `"${fill('\\ud83d\\ude00', LIMIT - 2)}"`],
  ['half surrogate pairs', `"${fill('\\ud83d', LIMIT - 2)}"`],
  ['strings', list('""')],
  ['numbers', list('1')],
  ['long numbers', list('1e308')],
  ['one number', fill('9', LIMIT)],
  ['spaces', `{${fill(' ', LIMIT - 2)}}`],
  ['members', members((i) => `k${i}`, '1')],
  ['members named alike at the end', members((i) => `${'a'.repeat(60)}${i}`, '1')],
  ['members whose hashes are numbers', members((i) => String(i), '1')],
  ['empty objects', list('{}')],
];

/** A body that is no object is refused before its schema is read, so one endpoint of each method stands for all. */
const isForAll = (text: string): boolean => text.startsWith('{');
const isFirstOfMethod = (endpoint: Endpoint): boolean =>
  endpoint === tried.find(({ method, body }) => method === endpoint.method && body !== undefined);

/** Half of the limit is enough to show a quadratic check: the worst case found would take 10 s for it. */
const HALF = LIMIT / 2;

/** Hostile values for a single member of the body. */
const values: readonly (readonly [string, string])[] = [
  ['the same text many times', list('"a"', HALF)],
  ['the same number many times', list('7', HALF)],
  ['the same object many times', list('{"a":[1,2,3]}', HALF)],
  ['many members', members((i) => `k${i}`, '"v"', HALF)],
  ['many members of the wrong form', members((i) => `K ${i}`, '7', HALF)],
  ['a name that is almost one', `"${fill('a-', HALF)}!"`],
  ['a long text', `"${fill('a', HALF)}"`],
];

describe.each(tried.filter(({ body }) => body !== undefined))('$id stays quick with', (endpoint) => {
  /** Created again after a successful request; a refused request leaves the resource unchanged. */
  let params: Params | undefined;

  const send = async (text: string, parsedLike = text) => {
    params ??= await paramsFor(endpoint, world);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
    const bound = ALLOWANCE_MS + 30 * parseMs(parsedLike);
    const { status, ms } = await spend({
      method: endpoint.method,
      url: urlOf(endpoint, params, endpoint.example.query),
      payload: text,
      headers: { 'content-type': 'application/json' },
    });
    if (status < 300) params = undefined;
    expect(status).toBeLessThan(500);
    expect(status).not.toBe(413);
    expect(ms).toBeLessThan(bound);
  };

  it.each(texts.filter(([, text]) => isForAll(text) || isFirstOfMethod(endpoint)))('%s', (_, text) =>
    send(text),
  );

  it.each(values)('%s in any place', async (kind, value) => {
    for (const name of newMembers(endpoint, kind)) {
      const others = Object.entries((endpoint.example.body ?? {}) as object).filter(
        ([other]) => other !== name,
      );
      const rest = others.map(([other, content]) => `,"${other}":${JSON.stringify(content)}`).join('');
      await send(`{"${name}":${value}${rest.length + name.length > 90 ? '' : rest}}`, value);
    }
  });

  it('the largest list of whole items it takes', async () => {
    for (const [name, items] of Object.entries((endpoint.example.body ?? {}) as object)) {
      if (!Array.isArray(items)) continue;
      const wide = JSON.parse(members((i) => `k${i}`, '"v"', 4_000)) as object;
      const most = Array.from({ length: 50 }, () => ({
        ...items[0],
        configuration: { ...items[0]?.configuration, ...wide },
      }));
      await send(JSON.stringify({ ...(endpoint.example.body as object), [name]: most }));
      await send(JSON.stringify({ ...(endpoint.example.body as object), [name]: Array(50).fill(items[0]) }));
    }
  });
});

const sent = new Set<string>();
/** Whether no endpoint before this one had a member or parameter with this schema: what reads it is made of its schema. */
function isNew(text: string): boolean {
  const isFirst = !sent.has(text);
  sent.add(text);
  return isFirst;
}

function newMembers({ body }: Endpoint, kind: string): string[] {
  const members = Object.entries((body as { properties?: object } | undefined)?.properties ?? {});
  return members
    .filter(([name, schema]) => isNew(`${kind} ${name} ${JSON.stringify(schema)}`))
    .map(([name]) => name);
}

const hostile = [
  fill('a', 15_000),
  fill('-', 15_000),
  `${fill('a-', 15_000)}!`,
  `${fill('a.', 15_000)}_`,
  fill(',', 15_000),
  fill('(', 15_000),
  fill('a in (', 15_000),
  `a in (${fill('b,', 900)}`,
  `${fill('a=b,', 990)}!`,
  fill(' ', 990),
  `a${fill(' ', 990)}=`,
  fill('9', 15_000),
  `2026-01-01T00:00:00.${fill('9', 900)}x`,
  fill('*:', 15_000),
];

describe.each(tried.filter(({ query }) => Object.keys(query.properties).length > 0))(
  '$id stays quick with hostile',
  (endpoint) => {
    it.each(Object.keys(endpoint.query.properties))('%s', async (name) => {
      if (!isNew(`query ${name} ${JSON.stringify(endpoint.query.properties[name])}`)) return;
      const params = await paramsFor(endpoint, world);
      for (const text of hostile) {
        const request = await requestTo(endpoint, world, { params, query: { [name]: text } });
        if (request.url.length > 16_000) continue;
        const { status, ms } = await spend(request);
        expect(status).toBeLessThan(500);
        expect(ms).toBeLessThan(ALLOWANCE_MS);
      }
    });
  },
);
