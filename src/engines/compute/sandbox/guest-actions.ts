/** Actions inside a machine, by a user at its console or by a test. They are no calls to the engine. */
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { type ComputeBackend, changePresent, missing, nameOf } from './backend.ts';
import { start, stop } from './power.ts';
import { type Disk, isOn, type Machine, type Moment } from './state.ts';
import { devicesOf, writeDevice } from './volumes.ts';

function requireRunning(machine: Machine, now: Moment): void {
  if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
}

/** The files of the root disk and, under their device paths, the contents of the attached volumes. */
export async function diskOf({ store }: ComputeBackend, ref: Ref): Promise<Disk> {
  const machine = await store.find('machine', nameOf(ref));
  if (machine === null) throw missing('machine', ref.id);
  requireRunning(machine, await store.now());
  return { ...machine.disk, ...(await devicesOf(store, nameOf(ref))) };
}

export async function writeInside(
  backend: ComputeBackend,
  ref: Ref,
  path: string,
  content: string,
): Promise<void> {
  if (path.startsWith('/dev/')) {
    await diskOf(backend, ref);
    if (await writeDevice(backend, ref, path, content)) return;
    throw new EngineRefused('not_found', `${path}: No such device`);
  }
  await changePresent(backend, nameOf(ref), undefined, async (_, machine, now) => {
    requireRunning(machine, now);
    return { ...machine, disk: { ...machine.disk, [path]: content } };
  });
}

export async function haltInside(
  backend: ComputeBackend,
  ref: Ref,
  how: 'shutdown' | 'crashed' | 'reboot',
): Promise<void> {
  await changePresent(backend, nameOf(ref), undefined, async (_, machine, now) => {
    requireRunning(machine, now);
    if (how === 'reboot') return start(backend, stop(machine, now, 'shutdown'), now + backend.takes('start'));
    const stopped = stop(machine, now, how);
    return how === 'crashed' ? { ...stopped, problem: 'crashed' as const } : stopped;
  });
  await backend.tell(nameOf(ref));
}
