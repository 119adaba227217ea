/**
 * Reconciles volumes with their engines: size, machine and snapshots. A volume that an engine lost is marked, and
 * unmarked when it is back. The tables decide which machine has a volume; the engine decides whether it exists.
 */
import { type ComputeEngine, EngineRefused, type Ref, type Volume } from '../../../engines/compute/port.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { observeNow, patience } from '../../../engines/reconciler/observation.ts';
import { holdIdle, type Moment } from '../../../engines/reconciler/store.ts';
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { refOf } from '../vms/guest.ts';
import { readVm } from '../vms/store.ts';
import { forgetVolumeSnapshot } from '../volume-snapshots/removal.ts';
import { volumeSnapshots } from '../volume-snapshots/resource.ts';
import { wasVolumeSnapshotToBeRemoved } from '../volume-snapshots/store.ts';
import type { VolumeSnapshotRow } from '../volume-snapshots/table.ts';
import { plugVolume, unplugVolume } from '../volumes/engine-volume.ts';
import { settledStatus } from '../volumes/lifecycle.ts';
import { volumes } from '../volumes/resource.ts';
import type { VolumeRow } from '../volumes/table.ts';
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
  readonly engine: ComputeEngine;
  readonly row: VolumeRow;
  readonly seen: Volume;
  readonly at: Moment;
}

/** Volumes only grow: a larger one at the engine changes the row and the price. */
async function alignSize({ services, tx, engine, row, seen, at }: Held): Promise<NewEvent[]> {
  if (seen.sizeGb === row.size_gb) return [];
  services.metrics.alarms.inc({ alarm: 'size_drift' });
  services.log.warn({ volume: row.id, sold: row.size_gb, has: seen.sizeGb }, 'a volume has another size');
  if (seen.sizeGb < row.size_gb) {
    await engine.ensureVolumeSize(refOf(row), row.size_gb, patience());
    return [];
  }
  await volumes.change(tx, row.id, { size_gb: seen.sizeGb }, { services, at: new Date(at) });
  return [volumes.event('resized', row, { says: `has ${seen.sizeGb} GB` })];
}

/** A failed operation may have left the volume on a machine, or taken it from one. */
async function alignMachine({ services, tx, row, seen }: Held): Promise<void> {
  if (seen.instance === row.vm_id) return;
  services.log.warn(
    { volume: row.id, machine: row.vm_id, has: seen.instance },
    'a volume is not attached to the machine that the tables name',
  );
  const work = { db: tx, services, signal: patience() };
  if (row.vm_id === null) {
    if (seen.instance !== null) await unplugVolume(work, row, seen.instance, true);
    return;
  }
  const vm = await readVm(tx, row.vm_id);
  const isIdle = (await pendingOn(tx, [row.vm_id])).size === 0;
  // A machine that is lost gets its volumes back when it is redeployed.
  if (isIdle && (vm?.status === 'running' || vm?.status === 'stopped'))
    await plugVolume(work, row, vm.id, { mayMove: false }).catch((error: unknown) => {
      if (!(error instanceof EngineRefused)) throw error;
      services.log.warn({ err: error, volume: row.id }, 'a volume could not be attached again');
    });
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

async function align(services: Services, tx: Tx, engine: ComputeEngine, row: VolumeRow, observed: Observed) {
  const { at, seen } = observed;
  const now = new Date(at);
  if (seen === null) {
    if (!isSettled(row)) return [];
    services.metrics.alarms.inc({ alarm: 'volume_lost' });
    services.log.error({ volume: row.id }, 'a volume is no longer at its engine');
    await volumes.change(tx, row.id, LOST, { services, at: now });
    return [volumes.event('lost', row)];
  }
  if (isLost(row)) {
    const found = { status: settledStatus(row), status_reason: null } as const;
    await volumes.change(tx, row.id, found, { services, at: now });
    return [volumes.event('recovered', row)];
  }
  if (!isSettled(row)) return [];
  const held = { services, tx, engine, row, seen, at };
  await alignMachine(held);
  return [...(await alignSize(held)), ...(await alignSnapshots(held))];
}

interface Observed {
  readonly at: Moment;
  readonly seen: Volume | null;
}

/** Observes the volume again, because the list of all volumes may be older than the row. */
async function lookAt(services: Services, engine: ComputeEngine, ref: Ref): Promise<void> {
  const observed = await observeNow(services, (signal) => engine.observeVolume(ref, signal));
  await transact(services.db, async (tx) => {
    const row = await holdIdle(tx, () => lockVolumeUnchanged(tx, ref, observed.at));
    if (row === undefined) return;
    const events = await align(services, tx, engine, row, observed);
    const { registry } = services;
    await writeEvents(tx, registry, { accountId: row.account_id, actor: HOSTPLANE }, events);
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
