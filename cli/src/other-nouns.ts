/** What people call the resources elsewhere, from the tables of the search: `server` and `droplet` are the resource `vm`. */
import { Phrases, plain } from '../../src/search/phrases.ts';
import { stemsOf } from '../../src/search/text.ts';
import { tables } from '../../src/search/words/tables.ts';

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((each) => b.has(each));

/** The first of the resources that the word is another name for. */
export function resourceCalled(word: string, resources: readonly string[]): string | undefined {
  const said = stemsOf(word);
  const meant = new Phrases(tables)
    .find(said)
    .filter(({ places }) => places.length === said.length)
    .map(({ means }) => new Set(means.filter((each) => !each.startsWith('+')).map(plain)));
  return resources.find((name) => meant.some((each) => isSame(each, new Set(stemsOf(name)))));
}
