/** Starts, stops and restarts machines. A start with a new seed runs cloud-init on the disk. */
import type { Ref } from '../instance.ts';
import { seedDisk } from './cloud-init.ts';
import { type ComputeCore, changePresent, missing, nameOf } from './core.ts';
import {
  type Boot,
  type BootedFrom,
  isOn,
  type Machine,
  type Moment,
  restsAt,
  withBoot,
  withEnd,
  withOnce,
} from './state.ts';

function bootedFrom({ rescue, drive = null, disk }: Machine): BootedFrom {
  const isBlank = Object.keys(disk).length === 0;
  if (rescue !== null || (!isBlank && drive?.bootOnce !== true)) return 'disk';
  return drive === null ? 'nothing' : 'iso';
}

export function start(core: ComputeCore, machine: Machine, at: Moment): Machine {
  const { guest, system, rescue } = machine;
  const upAt = at + core.takes(system.distribution.startsWith('windows') ? 'bootWindows' : 'boot');
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

/** A machine that crashed has no guest to ask. */
function off(core: ComputeCore, machine: Machine, now: Moment, how: 'shutdown' | 'cut'): Machine | null {
  if (machine.problem !== null) return { ...machine, problem: null, power: { on: false, at: now } };
  return isOn(machine, now) ? stop(machine, now + core.takes(how), how) : null;
}

export const ensureRunning = (core: ComputeCore, ref: Ref, signal: AbortSignal | undefined): Promise<void> =>
  changePresent(core, nameOf(ref), signal, async (_, machine, now) =>
    isOn(machine, now) ? null : start(core, machine, now + core.takes('start')),
  );

/** A machine that goes down counts as one at rest, so neither this call nor a repeated one waits for its guest. */
const restsOrGoesDown = (machine: Machine): Moment => (machine.power.on ? restsAt(machine) : 0);

export async function requestShutdown(
  core: ComputeCore,
  ref: Ref,
  isIgnored: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isThere = await core.change('machine', nameOf(ref), signal, {
    restsAt: restsOrGoesDown,
    apply: async (_, machine, now) =>
      machine.power.on && !isIgnored ? off(core, machine, now, 'shutdown') : null,
  });
  if (!isThere) throw missing('machine', ref.id);
}

export const ensureStopped = (core: ComputeCore, ref: Ref, signal: AbortSignal | undefined): Promise<void> =>
  changePresent(core, nameOf(ref), signal, async (_, machine, now) => off(core, machine, now, 'cut'));

export const restart = (
  core: ComputeCore,
  ref: Ref,
  { once }: { readonly once: string },
  signal: AbortSignal | undefined,
): Promise<void> =>
  changePresent(core, nameOf(ref), signal, async (_, machine, now) => {
    if (machine.once.includes(once)) return null;
    const stopped = isOn(machine, now) ? stop(machine, now + core.takes('cut'), 'cut') : machine;
    const at = Math.max(now, stopped.power.at) + core.takes('start');
    return withOnce(start(core, stopped, at), once);
  });
