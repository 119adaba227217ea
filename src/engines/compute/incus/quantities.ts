/** Converts sizes from and to the engine's notation. */
import type { Size } from '../instance.ts';
import type { Changeable, RawInstance } from './driver-context.ts';

const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

const units: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: MIB,
  GiB: GIB,
  TiB: 1024 ** 4,
};

/** Returns 0 for a missing size or a percentage. */
export function bytesOf(text: string | undefined): number {
  const [, digits, unit = ''] = /^(\d+)\s*([A-Za-z]*)$/.exec(text ?? '') ?? [];
  return digits === undefined ? 0 : Number(digits) * (units[unit] ?? 0);
}

const memoryOf = ({ memoryMb }: Size): string => `${memoryMb}MiB`;
export const diskOf = ({ diskGb }: Size): string => `${diskGb}GiB`;

export function sizeOf({ config, devices }: Pick<RawInstance, 'config' | 'devices'>): Size {
  const vcpus = Number(config['limits.cpu'] ?? 0);
  return {
    // Instances that were not created by this driver may be pinned to a range of processors.
    vcpus: Number.isInteger(vcpus) ? vcpus : 0,
    memoryMb: Math.floor(bytesOf(config['limits.memory']) / MIB),
    diskGb: Math.floor(bytesOf(devices['root']?.['size']) / GIB),
  };
}

export const sizeConfig = (size: Size): Changeable['config'] => ({
  'limits.cpu': String(size.vcpus),
  'limits.memory': memoryOf(size),
});
