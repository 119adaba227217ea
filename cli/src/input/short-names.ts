/** Short names of flags: `--image` is `--source.image-id`, where no other flag could be meant. */
import type { Flag } from '../command.ts';

/** What people leave out: that a value is an id, and its unit. */
const ENDING = /-(ids?|gb|mb)$/;

const depth = ({ name }: Flag): number => name.split('.').length;

/** Null if the name has nothing to leave out. Flags that are rarely needed get no short name, which would only confuse. */
function shortOf({ name, isAdvanced }: Flag): string | null {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return ENDING.test(last) && isAdvanced !== true ? last.replace(ENDING, '') : null;
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
