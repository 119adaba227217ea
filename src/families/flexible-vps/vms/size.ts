/** The size of a machine: that of its row, and that which an instance can have now. */
import type { Instance, Size } from '../../../engines/compute/port.ts';
import type { VmRow } from './table.ts';

export const sizeOf = ({
  vcpus,
  memory_mb,
  disk_gb,
}: Pick<VmRow, 'vcpus' | 'memory_mb' | 'disk_gb'>): Size => ({
  vcpus,
  memoryMb: memory_mb,
  diskGb: disk_gb,
});

export const isSameSize = (a: Size, b: Size): boolean =>
  a.vcpus === b.vcpus && a.memoryMb === b.memoryMb && a.diskGb === b.diskGb;

/** The stored size, as far as the instance can have it now: a disk never shrinks, and a running machine never does. */
export function sizeToGive(
  row: Pick<VmRow, 'vcpus' | 'memory_mb' | 'disk_gb'>,
  { size, state }: Pick<Instance, 'size' | 'state'>,
): Size {
  const { vcpus, memoryMb, diskGb } = sizeOf(row);
  const isRunning = state === 'running';
  return {
    vcpus: isRunning ? Math.max(vcpus, size.vcpus) : vcpus,
    memoryMb: isRunning ? Math.max(memoryMb, size.memoryMb) : memoryMb,
    diskGb: Math.max(diskGb, size.diskGb),
  };
}
