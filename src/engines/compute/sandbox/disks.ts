/** Takes and removes snapshots, restores the disk of a machine from a snapshot, and rebuilds it from an image. */
import { EngineRefused } from '../../errors.ts';
import type { Guest, ImageRef, Ref } from '../instance.ts';
import { type ComputeCore, change, changePresent, missing, nameOf } from './core.ts';
import { originOfImage } from './images.ts';
import { present, requireDisk } from './machines.ts';
import { isOn, type Machine, type Moment, withOnce } from './state.ts';

function requireStopped(machine: Machine, now: Moment): void {
  if (isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine runs. Stop it first.');
}

export const ensureSnapshot = (
  core: ComputeCore,
  ref: Ref,
  { id, quiesce }: { readonly id: string; readonly quiesce: boolean },
  signal: AbortSignal | undefined,
) =>
  changePresent(core, nameOf(ref), signal, async (_, machine, now) => {
    if (machine.snapshots.some((snapshot) => snapshot.id === id)) return null;
    const isRunning = isOn(machine, now);
    if (quiesce && isRunning && present(nameOf(ref), machine, now).agent === null)
      throw new EngineRefused(
        'guest_agent_unavailable',
        'The guest agent does not answer, so it cannot freeze the file system.',
      );
    const { disk, seeded, system, image, size } = machine;
    const consistency = quiesce || !isRunning ? ('filesystem' as const) : ('crash' as const);
    const at = now + core.takes('snapshot');
    const snapshot = { id, at, disk, diskGb: size.diskGb, seeded, system, image, consistency };
    return { ...machine, snapshots: [...machine.snapshots, snapshot] };
  });

export const removeSnapshot = (
  core: ComputeCore,
  ref: Ref,
  snapshotId: string,
  signal: AbortSignal | undefined,
) =>
  change(core, nameOf(ref), signal, async (_, machine) => {
    const snapshots = machine.snapshots.filter(({ id }) => id !== snapshotId);
    return snapshots.length === machine.snapshots.length ? null : { ...machine, snapshots };
  });

export const ensureRestored = (
  core: ComputeCore,
  ref: Ref,
  { once, snapshot: snapshotId }: { readonly once: string; readonly snapshot: string },
  signal: AbortSignal | undefined,
) =>
  changePresent(core, nameOf(ref), signal, async (_, machine, now) => {
    if (machine.once.includes(once)) return null;
    requireStopped(machine, now);
    const snapshot = machine.snapshots.find(({ id }) => id === snapshotId);
    if (snapshot === undefined) throw missing('snapshot', snapshotId);
    if (machine.snapshots.at(-1) !== snapshot)
      throw new EngineRefused('invalid_state', 'Newer snapshots exist. Remove them first.');
    const { disk, seeded, system, image } = snapshot;
    const busyUntil = now + core.takes('restore');
    return withOnce({ ...machine, disk, seeded, system, image, busyUntil }, once);
  });

export const ensureRebuilt = (
  core: ComputeCore,
  ref: Ref,
  { once, image, guest }: { readonly once: string; readonly image: ImageRef; readonly guest: Guest },
  signal: AbortSignal | undefined,
) =>
  changePresent(core, nameOf(ref), signal, async (store, machine, now) => {
    if (machine.once.includes(once)) return null;
    requireStopped(machine, now);
    if (machine.snapshots.length > 0)
      throw new EngineRefused('invalid_state', 'The machine has snapshots. Remove them first.');
    const origin = await originOfImage(core, store, image);
    requireDisk(origin, machine.size);
    const { disk, system, seeded } = origin;
    const fresh = { disk, system, image, guest, seeded, problem: null, logSince: now };
    return withOnce({ ...machine, ...fresh, busyUntil: now + core.takes('rebuild') }, once);
  });
