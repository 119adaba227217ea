/** The interfaces of a machine as they were requested, which the driver keeps in the machine's configuration. */
import type { Nic } from '../instance.ts';
import { keys } from './config-keys.ts';
import type { RawInstance } from './driver-context.ts';

export const noteOf = (nicId: string): string => `${keys.nic}.${nicId}`;

/** Sorted in the order in which the guest sees them. */
export function nicsOf({ config, devices }: Pick<RawInstance, 'config' | 'devices'>): Nic[] {
  return Object.keys(devices)
    .flatMap((id) => {
      const note = config[noteOf(id)];
      return note === undefined ? [] : [JSON.parse(note) as Nic];
    })
    .sort((a, b) => a.index - b.index || a.id.localeCompare(b.id));
}
