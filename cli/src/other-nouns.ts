/** What people call the resources elsewhere, from the tables of the search: `server` and `droplet` are the resource `vm`. */
import { stemsOf } from '../../src/search/text.ts';
import { nouns } from '../../src/search/words/nouns.ts';

const sortedWords = (words: readonly string[]): string => [...words].sort().join(' ');

/** The first of the resources that the word is another name for. */
export function resourceCalled(word: string, resources: readonly string[]): string | undefined {
  const said = stemsOf(word).join(' ');
  const meant = nouns
    .filter(([, names]) => names.split('|').includes(said))
    .map(([thing]) => sortedWords(thing.split(' ')));
  return resources.find((name) => meant.includes(sortedWords(stemsOf(name))));
}
