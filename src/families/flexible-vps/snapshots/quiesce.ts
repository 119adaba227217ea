import type { Instance } from '../../../engines/compute/port.ts';

/** The disk of a machine that does not run is consistent, so the engine need not quiesce its file system. */
export function wantsQuiet(
  quiesce: 'auto' | 'require' | 'never',
  { state, agent }: Instance,
  isCapable: boolean,
): boolean {
  if (state !== 'running') return false;
  return quiesce === 'require' || (quiesce === 'auto' && isCapable && agent !== null);
}
