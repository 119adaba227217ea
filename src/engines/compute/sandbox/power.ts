/** Starts, stops and restarts machines. A start with a new seed runs cloud-init on the disk. */
import { EngineRefused } from '../../errors.ts';
import type { Ref, Stop } from '../instance.ts';
import { seedDisk } from './cloud-init.ts';
import { changePresent, missing, nameOf, type Room } from './room.ts';
import {
  type Boot,
  type BootedFrom,
  isOn,
  type Machine,
  type Moment,
  withBoot,
  withEnd,
  withOnce,
} from './state.ts';

function bootedFrom({ rescue, drive = null, disk }: Machine): BootedFrom {
  const isBlank = Object.keys(disk).length === 0;
  if (rescue !== null || (!isBlank && drive?.bootOnce !== true)) return 'disk';
  return drive === null ? 'nothing' : 'iso';
}

export function start(room: Room, machine: Machine, at: Moment): Machine {
  const { guest, system, rescue } = machine;
  const upAt = at + room.takes(system.distribution.startsWith('windows') ? 'bootWindows' : 'boot');
  const from = bootedFrom(machine);
  const isSeeded =
    from !== 'disk' || machine.seeded === guest.seed || rescue !== null || !system.hasCloudInit;
  const seeded = isSeeded ? null : seedDisk(machine.disk, guest, system);
  const boot: Boot = {
    at,
    upAt,
    isRescue: rescue !== null,
    from,
    ...(from === 'iso' ? { title: machine.drive?.title ?? '' } : {}),
    cloudInit: seeded?.cloudInit ?? null,
    end: null,
  };
  const drive = machine.drive == null ? null : { ...machine.drive, bootOnce: false };
  const started = { ...machine, drive, problem: null, power: { on: true, at } };
  return withBoot(seeded === null ? started : { ...started, disk: seeded.disk, seeded: guest.seed }, boot);
}

export function stop(machine: Machine, at: Moment, how: NonNullable<Boot['end']>['how']): Machine {
  return withEnd({ ...machine, power: { on: false, at } }, { at, how });
}

/** If the guest ignores the shutdown request, waits for the timeout and refuses the call: the guest still runs. */
async function waitForDeafGuest(
  room: Room,
  ref: Ref,
  how: Stop,
  isDeaf: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!isDeaf || how.force) return;
  const machine = await room.store.find('machine', nameOf(ref));
  if (machine === null) throw missing('machine', ref.id);
  if (!isOn(machine, await room.store.now())) return;
  await room.pause(how.timeoutSeconds * 1000 * room.pace, signal);
  throw new EngineRefused(
    'shutdown_timeout',
    `The guest did not shut down within ${how.timeoutSeconds} seconds; it still runs.`,
  );
}

function down(room: Room, machine: Machine, now: Moment, { force }: Stop): Machine {
  return stop(machine, now + room.takes(force ? 'cut' : 'shutdown'), force ? 'cut' : 'shutdown');
}

export const ensureRunning = (room: Room, ref: Ref, signal: AbortSignal | undefined): Promise<void> =>
  changePresent(room, nameOf(ref), signal, async (_, machine, now) =>
    isOn(machine, now) ? null : start(room, machine, now + room.takes('start')),
  );

export async function ensureStopped(
  room: Room,
  ref: Ref,
  how: Stop,
  isDeaf: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  await waitForDeafGuest(room, ref, how, isDeaf, signal);
  await changePresent(room, nameOf(ref), signal, async (_, machine, now) => {
    if (machine.problem !== null) return { ...machine, problem: null, power: { on: false, at: now } };
    return isOn(machine, now) ? down(room, machine, now, how) : null;
  });
}

export async function restart(
  room: Room,
  ref: Ref,
  how: Stop & { readonly once: string },
  isDeaf: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isDone = (await room.store.find('machine', nameOf(ref)))?.once.includes(how.once) === true;
  if (!isDone) await waitForDeafGuest(room, ref, how, isDeaf, signal);
  await changePresent(room, nameOf(ref), signal, async (_, machine, now) => {
    if (machine.once.includes(how.once)) return null;
    const stopped = isOn(machine, now) ? down(room, machine, now, how) : machine;
    const at = Math.max(now, stopped.power.at) + room.takes('start');
    return withOnce(start(room, stopped, at), how.once);
  });
}
