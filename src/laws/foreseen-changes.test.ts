/**
 * A dry run says in words what a call would change: every effect has a sentence, and a call that would change nothing
 * has none. The sentences are made for people, so they hold no JSON and no secrets.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForeseenChange } from '../kernel/change-words/change-words.ts';
import type { EffectView } from '../kernel/effect-view.ts';
import { membersOf } from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { sample } from './sample.ts';
import { createWorld, requestTo, type WalkRequest, type World, writes } from './walk.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

interface Foreseen {
  readonly effects: readonly EffectView[];
  readonly changes: readonly ForeseenChange[];
}

const send = (request: WalkRequest) => app.call({ ...request, key: world.key.key });

async function foresee(request: WalkRequest): Promise<Foreseen> {
  const url = `${request.url}${request.url.includes('?') ? '&' : '?'}dry_run=true`;
  const answer = await send({ ...request, url });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Foreseen>();
}

const ID = /\b[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;

/** A short sentence about the change: it begins with a verb or the subject, and has no JSON. */
function expectWords({ text, loosens }: ForeseenChange): void {
  expect(typeof loosens).toBe('boolean');
  expect(text).toMatch(/^[a-z]/);
  expect(text).not.toMatch(/[{}[\]\n]|\.$|undefined|\bnull\b|NaN|Infinity|object Object/);
  expect(text.replaceAll(ID, '').split(' ').length).toBeGreaterThan(2);
  expect(text.length).toBeLessThan(300);
}

const isUpdate = ({ resource }: Endpoint): boolean =>
  resource.role === 'update' || resource.role === 'declare';

/** The example. A declaration by a name repeats what the walk has declared before, so its description is another one. */
async function differingRequest(endpoint: Endpoint): Promise<WalkRequest> {
  const request = await requestTo(endpoint, world);
  if (endpoint.resource.role !== 'declare' || !('description' in membersOf(endpoint.body))) return request;
  return { ...request, payload: { ...(request.payload as object), description: 'Another text.' } };
}

describe.each(sample(writes))('$id', (endpoint) => {
  it('describes in a dry run what its example changes', async () => {
    const { effects, changes } = await foresee(await differingRequest(endpoint));
    expect(effects).not.toEqual([]);
    expect(changes.length).toBeGreaterThan(0);
    changes.forEach(expectWords);
  });
});

describe.each(sample(writes.filter(isUpdate)))('$id, sent again,', (endpoint) => {
  it('describes no change, because nothing would change', async () => {
    const request = await differingRequest(endpoint);
    expect((await foresee(request)).changes).not.toEqual([]);
    const answer = await send(request);
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    await settle(app);
    expect(await foresee(request)).toMatchObject({ effects: [], changes: [] });
  });
});
