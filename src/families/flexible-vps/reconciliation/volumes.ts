/**
 * Reconciles volumes with their engines: size, machine and snapshots. A volume that an engine lost is marked, and
 * unmarked when it is back. The tables decide which machine has a volume; the engine decides whether it exists.
 */
import type { ComputeEngine, Ref, Volume } from '../../../engines/compute/port.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { type Correction, correct } from '../../../engines/reconciler/correction.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { type Observation, observeNow, patience } from '../../../engines/reconciler/observation.ts';
import { holdIdle, type Moment } from '../../../engines/reconciler/store.ts';
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import { refOf } from '../vms/guest.ts';
import { readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { forgetVolumeSnapshot } from '../volume-snapshots/removal.ts';
import { volumeSnapshots } from '../volume-snapshots/resource.ts';
import { wasVolumeSnapshotToBeRemoved } from '../volume-snapshots/store.ts';
import type { VolumeSnapshotRow } from '../volume-snapshots/table.ts';
import { attachVolumeKind } from '../volumes/attach-kinds.ts';
import { copySeconds } from '../volumes/copy-time.ts';
import { unplugVolume } from '../volumes/engine-volume.ts';
import { settledStatus } from '../volumes/lifecycle.ts';
import { volumes } from '../volumes/resource.ts';
import type { VolumeRow } from '../volumes/table.ts';
import { startRepair } from './repairs.ts';
import { lockVolumeSnapshotsUnchanged, lockVolumeUnchanged, type SeenVolume, volumesAt } from './store.ts';
import { noteStrays, strayVolumes } from './strays/strays.ts';

const LOST = { status: 'error', status_reason: 'lost' } as const;

const isLost = ({ status, status_reason }: Pick<VolumeRow, 'status' | 'status_reason'>): boolean =>
  status === LOST.status && status_reason === LOST.status_reason;

const isSettled = ({ status }: Pick<VolumeRow, 'status'>): boolean =>
  status === 'available' || status === 'attached';

/** Whether the row and the engine disagree. Other states are up to operations and to the owner. */
function differs(row: SeenVolume, seen: Volume | null): boolean {
  if (row.is_busy) return false;
  if (isLost(row)) return seen !== null;
  if (!isSettled(row)) return false;
  if (seen === null || seen.instance !== row.vm_id || seen.sizeGb !== row.size_gb) return true;
  const isThere = (id: string): boolean => seen.snapshots.some((snapshot) => snapshot.id === id);
  return !row.snapshots.every(isThere) || row.lost_snapshots.some(isThere);
}

interface Held {
  readonly services: Services;
  readonly tx: Tx;
  readonly row: VolumeRow;
  readonly seen: Volume;
  readonly at: Moment;
}

/** Volumes only grow: a larger one at the engine changes the row and the price. */
async function alignSize({ services, tx, row, seen, at }: Held): Promise<NewEvent[]> {
  if (seen.sizeGb === row.size_gb) return [];
  services.metrics.alarms.inc({ alarm: 'size_drift' });
  services.log.warn({ volume: row.id, sold: row.size_gb, has: seen.sizeGb }, 'a volume has another size');
  if (seen.sizeGb < row.size_gb) return [];
  await volumes.change(tx, row.id, { size_gb: seen.sizeGb }, { services, at: new Date(at) });
  return [volumes.event('resized', row, { says: `has ${seen.sizeGb} GB` })];
}

const isAttachable = ({ status }: Pick<VmRow, 'status'>): boolean =>
  status === 'running' || status === 'stopped';

/**
 * A failed operation may have left the volume on a machine, or taken it from one. An operation attaches it again, because
 * the engine may have to copy it. A machine that is lost gets its volumes back when it is redeployed.
 */
async function attachAgain({ services, tx, row }: Held, vmId: string): Promise<void> {
  const vm = await readVm(tx, vmId);
  if (vm === undefined || !isAttachable(vm)) return;
  await startRepair(services, tx, row.account_id, {
    kind: attachVolumeKind,
    deadlineSeconds: attachVolumeKind.deadlineSeconds + copySeconds(services, row.location),
    input: { vm_id: vmId, from: vmId },
    resource: volumes.ref(row),
    subjects: [vmId, row.id],
  });
}

/** Returns the call to the engine that follows, if it is a short one. */
async function alignMachine(held: Held): Promise<Correction | undefined> {
  const { services, tx, row, seen } = held;
  const { instance } = seen;
  if (instance === row.vm_id) return undefined;
  services.log.warn(
    { volume: row.id, machine: row.vm_id, has: instance },
    'a volume is not attached to the machine that the tables name',
  );
  if (row.vm_id !== null) await attachAgain(held, row.vm_id);
  if (row.vm_id !== null || instance === null) return undefined;
  if ((await pendingOn(tx, [instance])).size > 0) return undefined;
  return {
    subjects: [row.id, instance],
    act: (signal) => unplugVolume({ db: services.db, services, signal }, row, instance, true),
  };
}

async function loseSnapshot(held: Held, snapshot: VolumeSnapshotRow): Promise<NewEvent[]> {
  const { services, tx, row, at } = held;
  const now = new Date(at);
  if (await wasVolumeSnapshotToBeRemoved(tx, snapshot)) return forgetVolumeSnapshot(tx, snapshot.id, now);
  services.metrics.alarms.inc({ alarm: 'snapshot_lost' });
  services.log.error({ volume: row.id, snapshot: snapshot.id }, 'a snapshot is no longer at its engine');
  await volumeSnapshots.change(tx, snapshot.id, { status: 'failed', failed_at: now });
  return [volumeSnapshots.event('lost', snapshot, { says: `of ${row.name} can no longer be found` })];
}

async function alignSnapshots(held: Held): Promise<NewEvent[]> {
  const { services, tx, row, seen, at } = held;
  const events: NewEvent[] = [];
  for (const snapshot of await lockVolumeSnapshotsUnchanged(tx, row.id, at)) {
    const isThere = seen.snapshots.some(({ id }) => id === snapshot.id);
    if (snapshot.status === 'available' && !isThere) events.push(...(await loseSnapshot(held, snapshot)));
    // `consistency` is known only after a snapshot was taken, so this one was lost.
    if (snapshot.status !== 'failed' || snapshot.consistency === null || !isThere) continue;
    const found = { status: 'available', failed_at: null } as const;
    await volumeSnapshots.change(tx, snapshot.id, found, { services, at: new Date(at) });
    events.push(volumeSnapshots.event('recovered', snapshot, { says: `of ${row.name} was found again` }));
  }
  return events;
}

interface Decision {
  readonly events: readonly NewEvent[];
  readonly correction?: Correction | undefined;
}

async function align(
  services: Services,
  tx: Tx,
  engine: ComputeEngine,
  row: VolumeRow,
  observed: Observation<Volume>,
): Promise<Decision> {
  const { at, seen } = observed;
  const now = new Date(at);
  if (seen === null) {
    if (!isSettled(row)) return { events: [] };
    services.metrics.alarms.inc({ alarm: 'volume_lost' });
    services.log.error({ volume: row.id }, 'a volume is no longer at its engine');
    await volumes.change(tx, row.id, LOST, { services, at: now });
    return { events: [volumes.event('lost', row)] };
  }
  if (isLost(row)) {
    const found = { status: settledStatus(row), status_reason: null } as const;
    await volumes.change(tx, row.id, found, { services, at: now });
    return { events: [volumes.event('recovered', row)] };
  }
  if (!isSettled(row)) return { events: [] };
  const held = { services, tx, row, seen, at };
  const growth =
    seen.sizeGb < row.size_gb
      ? {
          subjects: [row.id],
          act: (signal: AbortSignal) => engine.ensureVolumeSize(refOf(row), row.size_gb, signal),
        }
      : undefined;
  const events = [...(await alignSize(held)), ...(await alignSnapshots(held))];
  // One correction at a time: the next run finds the other difference, if there are two.
  return { events, correction: growth ?? (await alignMachine(held)) };
}

/** Observes the volume again, because the list of all volumes may be older than the row. */
async function lookAt(services: Services, engine: ComputeEngine, ref: Ref): Promise<void> {
  const observed = await observeNow(services, (signal) => engine.observeVolume(ref, signal));
  await correct(services, async (tx) => {
    const machines = ({ vm_id }: VolumeRow) =>
      [vm_id, observed.seen?.instance ?? null].filter((id) => id !== null);
    const row = await holdIdle(tx, () => lockVolumeUnchanged(tx, ref, observed.at), machines);
    if (row === undefined) return undefined;
    const { events, correction } = await align(services, tx, engine, row, observed);
    const origin = { accountId: row.account_id, actor: HOSTPLANE };
    await writeEvents(tx, services.registry, origin, events);
    return correction;
  });
}

const keyOf = ({ account, id }: Ref): string => `${account} ${id}`;

async function lookThrough(services: Services, engine: ComputeEngine): Promise<void> {
  const found = await engine.observeVolumes(patience());
  const unclaimed = new Map(found.map((volume) => [keyOf(volume), volume]));
  const attempts = new Attempts(services);
  for await (const rows of volumesAt(services.db, engine.location))
    for (const row of rows) {
      const ref = refOf(row);
      const seen = unclaimed.get(keyOf(ref)) ?? null;
      unclaimed.delete(keyOf(ref));
      if (differs(row, seen)) await attempts.make(row.id, () => lookAt(services, engine, ref));
    }
  await noteStrays(services, strayVolumes, engine, [...unclaimed.values()]);
}

export const volumeDrift: Schedule = {
  name: 'flexible-vps.volumes',
  everySeconds: 180,
  run: (services) => eachEngine(services, services.compute, (engine) => lookThrough(services, engine)),
};
