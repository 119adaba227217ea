import { describe, expect, it } from 'vitest';
import { done, failed, type Outcome, type Step, type Work } from '../kernel/operations/kind.ts';
import type { Db, Tx } from '../store/database.ts';
import { EngineUnreachable } from './errors.ts';
import { provisioned, staysInError } from './provisioned.ts';

const row = { id: 'kiln_1', name: 'hot' };
const tx = {} as Tx;

/** A resource whose row, engine and calls are in memory. */
function kiln(remove: () => Promise<Outcome | null> = async () => null) {
  const rows = new Map([[row.id, row]]);
  const source = {
    type: 'kiln',
    words: 'kiln',
    path: '/workshop/v1/kilns/{id}',
    erase: async (_db: Db, id: string) => rows.delete(id),
    event: (name: string, { id }: { id: string }) => ({
      type: `kiln.${name}`,
      resource: { type: 'kiln', id, name: null },
      message: '',
    }),
  };
  const kinds = provisioned<typeof row>(source, {
    table: 'vps_networks',
    read: async (_db, id) => rows.get(id),
    remove,
  });
  return { rows, kinds };
}

const work = { db: tx, resourceId: row.id, now: new Date() } as unknown as Work<unknown>;
const run = ([step]: readonly Step<unknown>[]): Promise<Outcome> => step!.run(work);

describe('the operations of a provisioned resource', () => {
  it('are named after the resource and its family', () => {
    const { creation, update, deletion } = kiln().kinds;
    expect([creation, update, deletion]).toMatchObject([
      { family: 'workshop', resourceType: 'kiln', type: 'kiln.create', cancellable: true },
      { family: 'workshop', resourceType: 'kiln', type: 'kiln.update', cancellable: false },
      { family: 'workshop', resourceType: 'kiln', type: 'kiln.delete', cancellable: false },
    ]);
  });

  it('fail if a step finds no row', async () => {
    const { rows, kinds } = kiln();
    const step = kinds.on(async (_work, { name }) => done({ name }));
    expect(await step(work)).toEqual(done({ name: 'hot' }));
    rows.clear();
    expect(await step(work)).toEqual(failed('not_found', 'The kiln is gone.'));
  });

  it('delete the rows only after the engine has removed the resource, and tell it once', async () => {
    const { rows, kinds } = kiln();
    const outcome = await run(kinds.deletion.steps);
    expect(rows.size).toBe(1);
    if (outcome.kind !== 'done') throw new Error('The step is not done.');
    expect(await outcome.commit?.(tx)).toMatchObject([{ type: 'kiln.deleted' }]);
    expect(rows.size).toBe(0);
    expect(await outcome.commit?.(tx)).toEqual([]);
  });

  it('end well if the resource is already gone', async () => {
    const { rows, kinds } = kiln(async () => failed('engine_failed', 'Nobody asks the engine.'));
    rows.clear();
    expect(await run(kinds.creation.undo)).toEqual(done());
    expect(await run(kinds.deletion.steps)).toMatchObject({ kind: 'done' });
  });

  it('keep the rows while the engine still has the resource or does not answer', async () => {
    const still = failed('engine_failed', 'Still there.', true);
    expect(await run(kiln(async () => still).kinds.deletion.steps)).toEqual(still);
    expect(await run(kiln(async () => still).kinds.creation.undo)).toEqual(still);
    const silent = kiln(() => Promise.reject(new EngineUnreachable('No answer.')));
    expect(await run(silent.kinds.deletion.steps)).toEqual(failed('engine_unavailable', 'No answer.', true));
  });

  it.each([
    ['failed', [{ status: 'error', status_reason: 'engine_failed' }]],
    ['cancelled', []],
    ['succeeded', []],
  ] as const)('that end as %s leave the resource in error only if they failed', async (status, changes) => {
    const seen: unknown[] = [];
    const settle = staysInError({
      change: async (_db: Db, _id: string, change: object) => seen.push(change),
    });
    const error = { code: 'engine_failed', detail: '', retryable: false } as const;
    await settle(tx, { status, resourceId: row.id, error } as Parameters<typeof settle>[1]);
    expect(seen).toEqual(changes);
  });
});
