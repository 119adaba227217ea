/** What the operations of images and ISOs share: copies at all engines, and a failed one that is kept with its reason. */
import type { ComputeEngine, Ref } from '../../../engines/compute/port.ts';
import { provisioned } from '../../../engines/provisioned.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { type Ended, failed, kind, NoInput, type Outcome } from '../../../kernel/operations/kind.ts';
import type { Owned } from '../../../resources/owned/owned.ts';
import type { RowChange, RowOf } from '../../../resources/owned/table.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { failedColumns, type OfferedTable } from '../catalog/store.ts';
import { ImportFailed } from './failure.ts';
import { NoRoom, outcomeOf } from './scratch-room.ts';

type Call<R> = (engine: ComputeEngine, ref: Ref, signal: AbortSignal) => Promise<R>;

/** Runs a step that downloads a file. Faults of the file or its server fail the operation; it waits for room. */
export async function importing(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ImportFailed) return failed(error.code, error.message);
    if (error instanceof NoRoom) return outcomeOf(error);
    throw error;
  }
}

export function importKinds<T extends OfferedTable>(
  source: Owned<T, 'available' | 'deleted' | 'failed'>,
  table: T,
  read: (db: Db, id: string) => Promise<RowOf<T> | undefined>,
  copies: { readonly remove: Call<void>; readonly observe: Call<unknown> },
) {
  type Row = RowOf<T> & { readonly id: string; readonly name: string };

  const { on, creation, deletion } = provisioned<Row>(source, {
    table,
    read: read as (db: Db, id: string) => Promise<Row | undefined>,
    /** From all engines, not only from `locations`: a copy whose step never committed is not in it. */
    async remove({ accountId: account, resourceId: id, services, signal }) {
      for (const engine of services.compute.all) {
        await copies.remove(engine, { account, id }, signal);
        if ((await copies.observe(engine, { account, id }, signal)) === null) continue;
        const detail = `The engine reported the ${source.words} as removed, but still has it.`;
        return failed('engine_failed', detail, true);
      }
      return null;
    },
  });

  const failureEvent = (row: { readonly id: string; readonly name: string }, detail: string): NewEvent =>
    source.event('failed', row, {
      severity: 'error',
      message: `The ${source.words} ${row.name} failed: ${detail}`,
    });

  async function settle(tx: Tx, { status, resourceId, error }: Ended): Promise<NewEvent[] | undefined> {
    if (status !== 'failed') return undefined;
    const detail = error?.detail ?? `The ${source.words} could not be created or deleted.`;
    const change = failedColumns({ code: error?.code ?? 'engine_failed', detail });
    const row = (await source.change(tx, resourceId, change as unknown as RowChange<T>)) as Row | undefined;
    return row === undefined ? undefined : [failureEvent(row, detail)];
  }

  const common = { everywhere: true, settle } as const;
  return {
    on,
    failureEvent,
    creation: { ...creation, ...common },
    deletion: kind<typeof NoInput>({
      ...deletion,
      ...common,
      queue: 'destroy',
      input: NoInput,
      typicalSeconds: 5,
      deadlineSeconds: 60 * 60,
    }),
  };
}
