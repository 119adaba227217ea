/**
 * What the operations have in common that create a resource at an engine and delete it: the steps read the row, undo and
 * deletion remove the resource in the same way, and the rows are deleted together with the event that says so.
 */
import type { NewEvent } from '../kernel/events/event.ts';
import { done, type Ended, failed, type Kind, type Outcome, type Work } from '../kernel/operations/kind.ts';
import type { Db, Tx } from '../store/database.ts';
import { step } from './engine-step.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The resource, as `Owned` defines it. */
interface Source {
  readonly type: string;
  readonly words: string;
  readonly path?: string;
  erase(db: Db, id: string, options: { readonly at: Date }): Promise<unknown>;
  event(name: 'deleted', row: Named): NewEvent;
}

interface Provisioning<Row> {
  /** Its column `provisioned_at` is set when the creation succeeds. */
  readonly table: NonNullable<Kind['provisions']>;
  read(db: Db, id: string): Promise<Row | undefined>;
  /** Removes it from the engine and looks whether it is gone. An outcome says why it is not. */
  remove(work: Work<unknown>, row: Row): Promise<Outcome | null>;
  /** The name of the step that removes it if the creation is cancelled. */
  readonly undo?: string;
  /** Deletes its rows, if it has more than that of the resource. */
  erase?(tx: Tx, row: Row, at: Date): Promise<void>;
}

export function provisioned<Row extends Named>(
  source: Source,
  { table, read, remove, undo = 'remove', ...own }: Provisioning<Row>,
) {
  async function erase(tx: Tx, id: string, at = new Date()): Promise<NewEvent[]> {
    const row = await read(tx, id);
    if (row === undefined) return [];
    await (own.erase?.(tx, row, at) ?? source.erase(tx, id, { at }));
    return [source.event('deleted', row)];
  }

  /** Null: it is gone. */
  async function takeAway(work: Work<unknown>): Promise<Outcome | null> {
    const row = await read(work.db, work.resourceId);
    return row === undefined ? null : remove(work, row);
  }

  const common = {
    family: source.path?.split('/')[1] ?? '',
    resourceType: source.type,
    queue: 'exclusive' as const,
  };
  return {
    erase,
    /** Runs a step with the row of the operation. Fails if the resource was deleted. */
    on:
      <I>(run: (work: Work<I>, row: Row) => Promise<Outcome>) =>
      async (work: Work<I>): Promise<Outcome> => {
        const row = await read(work.db, work.resourceId);
        return row === undefined ? failed('not_found', `The ${source.words} is gone.`) : run(work, row);
      },
    /** The members of the kind that creates it. Its steps, its input and its `settle` are missing. */
    creation: {
      ...common,
      type: `${source.type}.create`,
      cancellable: true,
      undo: [step(undo, async (work: Work<unknown>) => (await takeAway(work)) ?? done())],
      erase: (tx: Tx, id: string) => erase(tx, id),
      provisions: table,
    },
    update: { ...common, type: `${source.type}.update`, cancellable: false },
    /** The members of the kind that deletes it, with its step. */
    deletion: {
      ...common,
      type: `${source.type}.delete`,
      cancellable: false,
      steps: [
        step('remove', async (work: Work<unknown>) => {
          const fault = await takeAway(work);
          return fault ?? done({}, (tx) => erase(tx, work.resourceId, work.now));
        }),
      ],
    },
  };
}

/** The `settle` of a resource that stays in the status `error` if it could not be created or deleted. */
export const staysInError =
  <C extends { status?: unknown; status_reason?: unknown }>(source: {
    change(db: Db, id: string, change: C): Promise<unknown>;
  }) =>
  async (tx: Tx, { status, resourceId, error }: Ended): Promise<undefined> => {
    const change = { status: 'error', status_reason: error?.code ?? null };
    if (status === 'failed') await source.change(tx, resourceId, change as unknown as C);
  };
