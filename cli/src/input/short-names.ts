/**
 * Short names of flags: `--image` is `--source.image-id`, and `--keep-last` is `--retention.keep-last`, where no other flag
 * could be meant.
 */
import type { Flag } from '../command.ts';

/** What people leave out: that a value is an id, and its unit. */
const ENDING = /-(ids?|gb|mb)$/;

const depth = ({ name }: Flag): number => name.split('.').length;

/** The last part of a name, without what people leave out. */
export const shortestOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).replace(ENDING, '');

/**
 * Null if the name has nothing to leave out. A detail of a member that is rarely needed is no good meaning of a short name,
 * and neither is a switch: `--delete` alone would not say that it is `--protection.delete`.
 */
function shortOf(flag: Flag): string | null {
  const short = shortestOf(flag.name);
  const isInside = depth(flag) > 1;
  if (short === flag.name || (isInside && (flag.isAdvanced === true || flag.kind === 'switch'))) return null;
  return short;
}

/** `taken`: the names of the other flags of the command. */
export function withShortNames<T extends Flag>(flags: readonly T[], taken: Iterable<string>): T[] {
  const names = new Set([...taken, ...flags.map(({ name }) => name)]);
  const isBest = (flag: T, short: string): boolean =>
    flags.every((other) => other === flag || shortOf(other) !== short || depth(other) > depth(flag));
  return flags.map((flag) => {
    const short = shortOf(flag);
    return short !== null && !names.has(short) && isBest(flag, short) ? { ...flag, alias: short } : flag;
  });
}
