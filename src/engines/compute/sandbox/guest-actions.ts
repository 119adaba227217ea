/** Actions inside a machine, by a user at its console or by a test. They are no calls to the engine. */
import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { type ComputeCore, changePresent, missing, nameOf } from './core.ts';
import { start, stop } from './power.ts';
import { type Disk, isOn, type Machine, type Moment } from './state.ts';
import { devicesOf, writeDevice } from './volumes.ts';

function requireRunning(machine: Machine, now: Moment): void {
  if (!isOn(machine, now)) throw new EngineRefused('invalid_state', 'The machine does not run.');
}

/** The files of the root disk and, under their device paths, the contents of the attached volumes. */
export async function diskOf({ store }: ComputeCore, ref: Ref): Promise<Disk> {
  const machine = await store.find('machine', nameOf(ref));
  if (machine === null) throw missing('machine', ref.id);
  requireRunning(machine, await store.now());
  return { ...machine.disk, ...(await devicesOf(store, nameOf(ref))) };
}

export async function writeInside(core: ComputeCore, ref: Ref, path: string, content: string): Promise<void> {
  if (path.startsWith('/dev/')) {
    await diskOf(core, ref);
    if (await writeDevice(core, ref, path, content)) return;
    throw new EngineRefused('not_found', `${path}: No such device`);
  }
  await changePresent(core, nameOf(ref), undefined, async (_, machine, now) => {
    requireRunning(machine, now);
    return { ...machine, disk: { ...machine.disk, [path]: content } };
  });
}

export async function haltInside(
  core: ComputeCore,
  ref: Ref,
  how: 'shutdown' | 'crashed' | 'reboot',
): Promise<void> {
  await changePresent(core, nameOf(ref), undefined, async (_, machine, now) => {
    requireRunning(machine, now);
    if (how === 'reboot') return start(core, stop(machine, now, 'shutdown'), now + core.takes('start'));
    const stopped = stop(machine, now, how);
    return how === 'crashed' ? { ...stopped, problem: 'crashed' as const } : stopped;
  });
  await core.tell(nameOf(ref));
}
