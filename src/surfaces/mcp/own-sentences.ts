/**
 * Our own sentences, such as what a call takes away, may quote the names of resources. A name has no spaces, but hyphens
 * can make an order of it. A model reads the sentence with the names left out, and the whole sentence as customer text.
 */
import { isIP } from 'node:net';
import { branchesOf, type Endpoints, type TextSchema } from './written-names.ts';

const known = new WeakMap<Endpoints, ReadonlySet<string>>();

function namesIn(schema: TextSchema): string[] {
  return branchesOf(schema).flatMap(({ properties = {}, items }) => [
    ...Object.entries(properties).flatMap(([name, member]) => [name, ...namesIn(member)]),
    ...(items === undefined ? [] : namesIn(items)),
  ]);
}

/** The names of all members of requests: our sentences may name them. */
export function memberNames(registry: Endpoints): ReadonlySet<string> {
  const found =
    known.get(registry) ??
    new Set(
      registry.endpoints.flatMap(({ body }) => (body === undefined ? [] : namesIn(body as TextSchema))),
    );
  known.set(registry, found);
  return found;
}

/** Words that are joined: a name of several words, an address of mail, a URL. */
const JOINED = /[\p{L}\p{N}]+(?:[-_.@:/+]+[\p{L}\p{N}]+)+/gu;
const ID = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Amounts, times, sizes and other words with digits only between the signs. */
const NUMBER = /^[\d.:/T+-]+Z?$/;

const isOurs = (word: string, members: ReadonlySet<string>): boolean =>
  word.split('.').every((part) => members.has(part)) ||
  ID.test(word) ||
  NUMBER.test(word) ||
  isIP(word.replace(/\/\d+$/, '')) !== 0;

export const withoutNames = (sentence: string, members: ReadonlySet<string>): string =>
  sentence.replaceAll(JOINED, (word) => (isOurs(word, members) ? word : '…'));
