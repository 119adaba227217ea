/**
 * What a dry run says is what happens: a person who is asked for approval sees the same effects and the same words
 * about them, the audit entry keeps the effects, and the real answer warns of the same. A call that destroys something
 * says so.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../kernel/audit/entry.ts';
import type { ForeseenChange } from '../kernel/change-words/change-words.ts';
import type { Warning } from '../kernel/effect.ts';
import { destructiveActions, type EffectView, type Loss } from '../kernel/effect-view.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { sample } from './sample.ts';
import { createWorld, requestTo, type WalkRequest, type World, writes } from './walk.ts';

let app: TestApp;
let world: World;
/** A key that needs approval for every write. */

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

const dry = (request: WalkRequest): WalkRequest => ({
  ...request,
  url: `${request.url}${request.url.includes('?') ? '&' : '?'}dry_run=true`,
});
const send = (request: WalkRequest, by: TestKey = world.key) => app.call({ ...request, key: by.key });

interface Foreseen {
  readonly effects: readonly EffectView[];
  readonly changes: readonly ForeseenChange[];
  readonly warnings: readonly Warning[];
}

/** Resources that the call creates have an id only when it was made. */
const withoutNewIds = (effects: readonly EffectView[]): EffectView[] =>
  effects.map((effect) => (effect.action === 'create' ? { ...effect, id: null } : effect));

async function askedAbout(request: WalkRequest): Promise<unknown> {
  const { db } = app.services;
  // A key of its own, because only so many requests of a key may wait.
  const held = await createKey(db, world.account, { approval: 'writes' });
  const { operation_id } = (await send(request, held)).json();
  const row = db
    .selectFrom('approvals')
    .select(['effects', 'changes'])
    .where('operation_id', '=', operation_id);
  return row.executeTakeFirstOrThrow();
}

async function auditedFor(requestId: unknown): Promise<readonly EffectView[]> {
  const { rows } = await sql<{ entry: AuditEntry }>`
    select entry from audit_entries where entry ->> 'request_id' = ${requestId}`.execute(app.services.db);
  return rows.flatMap(({ entry }) => entry.effects ?? []);
}

/** The words about a loss that say more than which resource is lost: none in "The snapshot." */
function newsIn(what: string, type: string, name: string | null): string[] {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? [];
  const noun = app.registry.nouns.get(type) ?? '';
  const known = [type.replaceAll('_', ' '), noun, name ?? '', 'a an the its this of'];
  const repeated = new Set(known.flatMap(wordsOf));
  return wordsOf(what).filter((word) => !repeated.has(word));
}

it('no type of resource says about its loss only what it is called', () => {
  const owned = app.registry.families.flatMap(({ resources = [] }) =>
    resources.filter((each): each is typeof each & { loss: Loss } => 'loss' in each),
  );
  expect(owned.length).toBeGreaterThan(10);
  const empty = owned.filter(({ loss, type }) => newsIn(loss.what, type, null).length === 0);
  expect(empty.map(({ type }) => type)).toEqual([]);
});

describe.each(sample(writes))('$id', (endpoint) => {
  it('has the effects that its dry run lists, with the same warnings', async () => {
    const request = await requestTo(endpoint, world);
    const { effects, changes, warnings } = (await send(dry(request))).json<Foreseen>();
    if (endpoint.access === 'destructive') {
      const isDestructive = ({ action }: EffectView) =>
        (destructiveActions as readonly string[]).includes(action);
      expect(effects.filter(isDestructive)).not.toEqual([]);
      for (const { loss, type, name } of effects.filter(isDestructive)) {
        expect(loss?.what).toMatch(/^[A-Z].*\.$/);
        expect(newsIn(loss?.what ?? '', type, name)).not.toEqual([]);
      }
    }
    // A model reads these sentences without what stands in quotation marks, so every name has to stand there.
    for (const { loss } of effects)
      expect((loss?.what ?? '').replaceAll(/"[^"]*"/g, '')).not.toMatch(/\bwalk-/);
    expect(await askedAbout(request)).toEqual({ effects, changes });
    const answer = await send(request);
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    expect(withoutNewIds(await auditedFor(answer.headers['x-request-id']))).toEqual(effects);
    expect(JSON.parse(String(answer.headers['hostplane-warnings'] ?? '[]'))).toEqual(warnings);
    const body = answer.body === '' ? {} : answer.json<{ operation?: { warnings: unknown } | null }>();
    if (body.operation != null) expect(body.operation.warnings).toEqual(warnings);
  });
});

it('at least one call with warnings is tested', async () => {
  const image = writes.find(({ id }) => id === 'createImage');
  const { warnings } = (await send(dry(await requestTo(image!, world)))).json<Foreseen>();
  expect(warnings).not.toEqual([]);
});

describe.each(sample(writes.filter(({ access, body }) => access === 'destructive' && body !== undefined)))(
  '$id, which destroys what its body does not name,',
  (endpoint) => {
    it('422: needs the name in confirm', async () => {
      const request = await requestTo(endpoint, world);
      const { confirm: _, ...payload } = request.payload as { confirm?: string };
      const answer = await send({ ...request, payload });
      expect(answer.json().errors).toMatchObject([{ pointer: '/confirm', code: 'confirmation_missing' }]);
    });
  },
);
