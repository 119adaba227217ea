/** What differs between a backup and its machine as it is now, or between two backups: only what the API says of both. */

import { formatBytes, formatNumber } from '../../../data/sizes.ts';
import type { Backup, Vm } from '../../../data/storage-types.ts';
import { formatTime } from '../../../data/words.ts';
import { consistencies, kinds } from './words.ts';

export interface Difference {
  readonly title: string;
  readonly left: string;
  readonly right: string;
  readonly isChanged: boolean;
}

type Fact = readonly [title: string, text: string];

const NONE = '–';

interface Size {
  readonly vcpus: number;
  readonly memory_mb: number;
  readonly disk_gb: number;
  readonly architecture: string;
  readonly location: string;
}

const sizeOf = ({ vcpus, memory_mb, disk_gb, architecture, location }: Size): readonly Fact[] => [
  ['vCPUs', String(vcpus)],
  ['Memory', formatNumber(memory_mb, 'MB')],
  ['Disk', formatNumber(disk_gb, 'GB')],
  ['Processor', architecture],
  ['Location', location],
];

const factsOf = (backup: Backup): readonly Fact[] => [
  ['Taken', formatTime(backup.created_at)],
  ['Made', kinds[backup.kind]],
  ['State', backup.status],
  ['Size', backup.size_bytes === null ? NONE : formatBytes(backup.size_bytes)],
  ['Files', backup.consistency === null ? NONE : consistencies[backup.consistency]],
  ['Kept until', backup.expires_at === null ? NONE : formatTime(backup.expires_at)],
  ['SHA-256', backup.sha256 ?? NONE],
  ['Machine', backup.vm_name],
  ...sizeOf(backup),
];

const beside = (left: readonly Fact[], right: readonly Fact[]): readonly Difference[] =>
  left.map(([title, text], at) => {
    const other = right[at]?.[1] ?? NONE;
    return { title, left: text, right: other, isChanged: text !== other };
  });

export const withMachine = (backup: Backup, vm: Vm): readonly Difference[] =>
  beside([['Machine', backup.vm_name], ...sizeOf(backup)], [['Machine', vm.name], ...sizeOf(vm)]);

export const withBackup = (backup: Backup, other: Backup): readonly Difference[] =>
  beside(factsOf(backup), factsOf(other));

/** What a restore of the backup to this machine would find: its disk must be large enough, of the same processor. */
export function whyNotOn(
  backup: Pick<Backup, 'disk_gb' | 'architecture'>,
  vm: Pick<Vm, 'disk_gb' | 'architecture'>,
): string | undefined {
  if (backup.architecture !== vm.architecture)
    return `The backup is for ${backup.architecture}, the machine is ${vm.architecture}: it cannot be restored there.`;
  if (backup.disk_gb > vm.disk_gb)
    return `The disk of the machine is too small for the backup: ${vm.disk_gb} GB instead of ${backup.disk_gb} GB.`;
  return undefined;
}
