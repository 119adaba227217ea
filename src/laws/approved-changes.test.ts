/**
 * A key that needs approval for destructive calls needs it exactly for calls that destroy something, and for those that
 * loosen something, or lose something for good, according to their dry run. MCP asks for a confirmation of the same
 * calls.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForeseenChange } from '../kernel/change-words/change-words.ts';
import type { EffectView } from '../kernel/effect-view.ts';
import { isRehearsed, needsConfirmation } from '../surfaces/mcp/rehearsals.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { sample } from './sample.ts';
import { createWorld, requestTo, type World, writes } from './walk.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

describe.each(sample(writes))('$id', (endpoint) => {
  it('asks a person, and asks assistants to confirm, exactly if it destroys or loosens something', async () => {
    const request = await requestTo(endpoint, world);
    const url = `${request.url}${request.url.includes('?') ? '&' : '?'}dry_run=true`;
    const dry = await app.call({ ...request, url, key: world.key.key });
    const body = dry.json<{ changes: ForeseenChange[]; effects: EffectView[] }>();
    const isAsked =
      endpoint.access === 'destructive' ||
      body.changes.some(({ loosens }) => loosens) ||
      body.effects.some(({ loss }) => loss?.recoverable === false);
    if (isAsked) expect(isRehearsed(endpoint)).toBe(true);
    const trial = { endpoint, status: 200, headers: {}, body, isRefused: false, requestId: '' };
    expect(needsConfirmation({ endpoint, call: { operation: endpoint.id }, trial })).toBe(isAsked);
    // A key of its own, because only so many requests of a key may wait.
    const { key } = await createKey(app.services.db, world.account, { approval: 'destructive' });
    const answer = await app.call({ ...request, key });
    expect(answer.body.includes('"code":"approval_required"'), answer.body).toBe(isAsked);
    if (!isAsked) expect(answer.statusCode, answer.body).toBeLessThan(300);
  });
});
