/** Changes the size and the placement of machines, and with them the reserved capacity of the hosts. */
import { EngineRefused } from '../../errors.ts';
import type { Placement, Ref, Size } from '../instance.ts';
import { type ComputeCore, changePresent, nameOf } from './core.ts';
import { place } from './machines.ts';
import { isOn, type Machine } from './state.ts';
import { hostsOf, lockGroup, release, reserve } from './store.ts';

const isSame = (a: Size, b: Size): boolean =>
  a.vcpus === b.vcpus && a.memoryMb === b.memoryMb && a.diskGb === b.diskGb;

function requirePossible(machine: Machine, size: Size, isRunning: boolean): void {
  const { vcpus, memoryMb, diskGb } = machine.size;
  if (size.diskGb < diskGb)
    throw new EngineRefused(
      'engine_failed',
      `A disk of ${diskGb} GB cannot become one of ${size.diskGb} GB.`,
    );
  if (isRunning && (size.vcpus < vcpus || size.memoryMb < memoryMb))
    throw new EngineRefused('invalid_state', 'A running machine can only grow. Stop it first.');
}

export const ensureSize = (core: ComputeCore, ref: Ref, size: Size, signal: AbortSignal | undefined) =>
  changePresent(core, nameOf(ref), signal, async (store, machine, now) => {
    if (isSame(machine.size, size)) return null;
    const isRunning = isOn(machine, now);
    requirePossible(machine, size, isRunning);
    if (await reserve(store, machine.host, size, machine.size))
      return { ...machine, size, busyUntil: now + core.takes('resize') };
    if (isRunning)
      throw new EngineRefused(
        'capacity_unavailable',
        'The host has no capacity left to grow this running machine. Stop the machine first.',
      );
    await release(store, machine);
    const host = await place(store, ref.account, size, null);
    return { ...machine, host, size, busyUntil: now + core.takes('move') };
  });

export const ensurePlacement = (
  core: ComputeCore,
  ref: Ref,
  placement: Placement | null,
  signal: AbortSignal | undefined,
) =>
  changePresent(core, nameOf(ref), signal, async (store, machine, now) => {
    if (placement === null) return null;
    await lockGroup(store, placement.groupId);
    const taken = await hostsOf(store, ref.account, placement.others);
    const isMet =
      placement.policy === 'spread'
        ? !taken.includes(machine.host)
        : taken.every((host) => host === machine.host);
    if (isMet) return null;
    if (isOn(machine, now)) {
      if (!placement.strict) return null;
      throw new EngineRefused('invalid_state', 'A running machine is not moved. Stop it first.');
    }
    await release(store, machine);
    const host = await place(store, ref.account, machine.size, placement);
    return { ...machine, host, busyUntil: now + core.takes(host === machine.host ? 'nic' : 'move') };
  });
