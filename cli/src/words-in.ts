/** Finds the words of the command between the flags: `-o json vm list --name web` has the words `vm` and `list`. */
import { globalFlags } from './command.ts';

export interface Words {
  readonly words: readonly string[];
  /** The command line without the first `count` words. */
  without(count: number): readonly string[];
}

const valued = new Set(
  globalFlags
    .filter(({ kind }) => kind !== 'switch')
    .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
);

export function wordsIn(argv: readonly string[]): Words {
  const places: number[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const argument = argv[i] ?? '';
    if (argument === '--') break;
    if (!argument.startsWith('-') || argument === '-') places.push(i);
    else if (valued.has(argument)) i += 1;
    else if (!isGlobal(argument)) break;
  }
  return {
    words: places.map((place) => argv[place] ?? ''),
    without: (count) => argv.filter((_, i) => !places.slice(0, count).includes(i)),
  };
}

const isGlobal = (argument: string): boolean =>
  globalFlags.some(
    ({ name, short }) =>
      argument === `--${name}` ||
      argument.startsWith(`--${name}=`) ||
      (short !== undefined && argument.startsWith(`-${short}`) && !argument.startsWith('--')),
  );
