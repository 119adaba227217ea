/** The firewalls of the sandbox. `packets.ts` applies them. */
import { declaredObjects } from '../../sandbox/declared-objects.ts';
import type { ComputeSandbox } from './core.ts';

export const firewalls = declaredObjects<ComputeSandbox, 'firewall'>('firewall', {
  task: 'firewall',
  isNewer: (present, spec) => present.revision > spec.revision,
});
