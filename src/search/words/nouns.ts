/**
 * What people call the things of the API, in one or two words, each as its stem. The build of the command line puts the
 * finished list in the place of this file, so that it does without the tables, which are twice as large.
 */
import { stemsOf } from '../text.ts';
import { tables } from './tables.ts';

/** A noun that is typed as one argument is not longer: `security-group`. */
const MOST_WORDS = 2;

const isThing = (means: string): boolean => !/[+?]/.test(means);

const shortNames = (said: string): string[] =>
  said
    .split('|')
    .filter((phrase) => !phrase.includes('~'))
    .map(stemsOf)
    .filter((words) => words.length <= MOST_WORDS)
    .map((words) => words.join(' '));

/** By thing: its names, divided by `|`. Both in the same form as `stemsOf(…).join(' ')`. */
export const nouns: readonly (readonly [thing: string, names: string])[] = tables
  .flat()
  .filter(([means]) => isThing(means))
  .map(([means, said]) => [stemsOf(means).join(' '), [...new Set(shortNames(said))].join('|')]);
