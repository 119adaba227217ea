/**
 * People and scripts add `--wait` to every command. Where the work is already done when the server answers, there is
 * nothing to wait for, so the flag is accepted and does nothing.
 */
import type { Flag } from '../command.ts';

const idle: readonly Flag[] = [
  { name: 'wait', kind: 'switch', isHidden: true, description: 'Accepted: the work is done at once.' },
  {
    name: 'timeout',
    kind: 'integer',
    isHidden: true,
    description: 'Accepted beside --wait: the work is done at once.',
  },
];

/** The flags, and those for waiting where the command has none of its own. */
export function withIdleWait<T extends Flag>(flags: readonly T[]): (T | Flag)[] {
  const own = new Set(flags.flatMap(({ name, alias }) => [name, alias]));
  return [...flags, ...idle.filter(({ name }) => !own.has(name))];
}
