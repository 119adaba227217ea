/**
 * What the snapshots of machines and of volumes have in common: how they are taken, removed and deleted. Each of the two
 * says which calls of the engine it uses.
 */
import { type ComputeEngine, EngineUnreachable, type Ref } from '../../../engines/compute/port.ts';
import { engineAt, step } from '../../../engines/engine-step.ts';
import { provisioned } from '../../../engines/provisioned.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, type Ended, failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { Owned } from '../../../resources/owned/owned.ts';
import type { RowChange, RowOf } from '../../../resources/owned/table.ts';
import { takeBack } from '../../../resources/records/deletion.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { refOf } from '../vms/guest.ts';
import type { SnapshotTable } from './store.ts';

/** A machine or a volume. */
interface Disk {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly location: string;
}

/** A snapshot that the engine has. */
interface Seen {
  readonly id: string;
  readonly sizeBytes: number;
  readonly diskGb: number;
  readonly consistency: 'crash' | 'filesystem';
}

interface Options<T extends SnapshotTable, D extends Disk, I, S> {
  readonly table: T;
  readonly noun: 'machine' | 'volume';
  readonly missing: string;
  read(db: Db, id: string): Promise<RowOf<T> | undefined>;
  byIds(db: Db, ids: readonly string[]): Promise<RowOf<T>[]>;
  readDisk(db: Db, row: RowOf<T>): Promise<D | undefined>;
  /** The calls of the engine. */
  observe(engine: ComputeEngine, disk: Ref, signal: AbortSignal): Promise<S | null>;
  ensure(engine: ComputeEngine, disk: Ref, id: string, work: Work<I>, before: S): Promise<void>;
  remove(engine: ComputeEngine, disk: Ref, id: string, signal: AbortSignal): Promise<void>;
  /** The columns of a snapshot that is taken, beside those that both kinds have. */
  columns(seen: Seen, disk: D): RowChange<T>;
}

const AGAIN_SECONDS = 1;

export function diskSnapshots<
  T extends SnapshotTable,
  D extends Disk,
  I,
  S extends { readonly snapshots: readonly Seen[] },
>(source: Owned<T, 'created' | 'deleted' | 'failed' | 'lost' | 'recovered'>, options: Options<T, D, I, S>) {
  type Row = RowOf<T> & { readonly id: string; readonly name: string };
  const { table, noun, missing, readDisk, observe, ensure, columns } = options;

  /** Throws `EngineUnreachable`, so that the step is retried, if the engine still lists the snapshot after removal. */
  async function removeFromEngine(
    engine: ComputeEngine,
    disk: Pick<Disk, 'id' | 'account_id'>,
    id: string,
    signal: AbortSignal,
  ): Promise<void> {
    await options.remove(engine, refOf(disk), id, signal);
    const seen = await observe(engine, refOf(disk), signal);
    if (seen?.snapshots.some((snapshot) => snapshot.id === id))
      throw new EngineUnreachable('The engine still lists the snapshot after its removal.');
  }

  const { on, erase, creation, deletion } = provisioned<Row>(source, {
    table,
    read: (db, id) => options.read(db, id) as Promise<Row | undefined>,
    undo: 'take-away',
    async remove({ db, services, signal }, row) {
      const disk = await readDisk(db, row);
      if (disk !== undefined)
        await removeFromEngine(engineAt(services.compute, disk.location), disk, row.id, signal);
      return null;
    },
  });

  const take = on(async (work: Work<I>, row): Promise<Outcome> => {
    const { db, services, signal, now } = work;
    const disk = await readDisk(db, row);
    if (disk === undefined) return failed('not_found', `The ${noun} is gone.`);
    const engine = engineAt(services.compute, disk.location);
    const before = await observe(engine, refOf(disk), signal);
    if (before === null) return failed('engine_failed', missing);
    await ensure(engine, refOf(disk), row.id, work, before);
    const after = await observe(engine, refOf(disk), signal);
    const seen = after?.snapshots.find(({ id }) => id === row.id);
    if (seen === undefined)
      return failed('engine_failed', 'The engine took the snapshot, but does not list it.', true);
    return done({}, async (tx) => {
      const { sizeBytes: size_bytes, consistency } = seen;
      const change = { status: 'available', size_bytes, consistency, ...columns(seen, disk) };
      const taken = await source.change(tx, row.id, change as RowChange<T>, { services, at: now });
      return taken === undefined ? [] : [source.event('created', row, { says: `of ${disk.name} is ready` })];
    });
  });

  async function settle(tx: Tx, { status, resourceId, error }: Ended): Promise<NewEvent[] | undefined> {
    if (status !== 'failed') return undefined;
    const change = { status: 'failed', failed_at: new Date() } as unknown as RowChange<T>;
    const row = (await source.change(tx, resourceId, change)) as Row | undefined;
    const disk = row && (await readDisk(tx, row));
    if (row === undefined || disk === undefined) return undefined;
    const message = `The snapshot ${row.name} of ${disk.name} could not be taken: ${error?.detail ?? ''}`;
    return [source.event('failed', row, { message })];
  }

  const forgetAll =
    (rows: readonly Row[], now: Date) =>
    async (tx: Tx): Promise<NewEvent[]> => {
      const events: NewEvent[] = [];
      for (const { id } of rows) events.push(...(await erase(tx, id, now)));
      return events;
    };

  /**
   * Removes the snapshots in the order of `ids`, newest first. If a removal fails after others succeeded, the step first
   * commits those deletions and then retries, so that lists show no snapshot that the engine no longer has.
   */
  async function removeAll(
    { db, services, signal, now }: Work<unknown>,
    disk: Disk,
    ids: readonly string[],
  ): Promise<Outcome> {
    const rows = (await options.byIds(db, ids)) as Row[];
    const newestFirst = ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
    const removed: Row[] = [];
    for (const row of newestFirst) {
      try {
        await removeFromEngine(engineAt(services.compute, disk.location), disk, row.id, signal);
        removed.push(row);
      } catch (error) {
        if (removed.length === 0) throw error;
        return { kind: 'sleep', seconds: AGAIN_SECONDS, commit: forgetAll(removed, now) };
      }
    }
    return done({}, forgetAll(removed, now));
  }

  return {
    removeFromEngine,
    removeAll,
    /** Deletes the row, inventory entry and meter of a snapshot that the engine no longer has. */
    forget: erase,
    creation: { ...creation, deadlineSeconds: 1800, steps: [step('take', take)], settle },
    /** Starts after the operations that are queued on the disk, so no other operation works on it meanwhile. */
    deletion: {
      ...deletion,
      queue: 'attach' as const,
      typicalSeconds: 5,
      deadlineSeconds: 3600,
      settle: takeBack(source),
    },
  };
}
