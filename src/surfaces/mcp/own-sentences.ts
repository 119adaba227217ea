/**
 * Our own sentences, such as what a call takes away, may quote the names of resources. A name in quotation marks may be
 * any text; another has no spaces, but hyphens can make an order of it. A model reads the sentence with the names left
 * out, and the whole sentence as customer text. Words of ours stay: members and values of requests, and slugs of the
 * provider, such as plans.
 */
import { isIP } from 'node:net';
import type { FieldCode } from '../../kernel/problems/catalogue.ts';
import { meaningOf } from '../../kernel/text-patterns.ts';
import { tools } from './tools.ts';
import { branchesOf, type Endpoints, type TextSchema } from './written-names.ts';

/** Where words of ours come from. */
export interface Vocabulary {
  /** `nouns`: what resources are called in sentences, if that is not their type. */
  readonly registry: Endpoints & { readonly nouns?: ReadonlyMap<string, string> };
  /** The provider's file. */
  readonly provider?: object;
}

const NOBODY = {};

/** Words that are joined: a name of several words, an address of mail, a URL. */
const JOINED = /[\p{L}\p{N}]+(?:[-_.@:/+]+[\p{L}\p{N}]+)+/gu;

export type IsOurs = (word: string) => boolean;

/** A pattern is quoted in sentences, or said in words, such as `lower-case`. */
const wordsOfPattern = (pattern: string | undefined): string[] =>
  pattern === undefined ? [] : [pattern, ...(meaningOf(pattern)?.match(JOINED) ?? [])];

function wordsIn(schema: TextSchema): string[] {
  return branchesOf(schema).flatMap(({ properties = {}, items, enum: values = [], ...rest }) => [
    ...[...values, rest.const, rest.format].filter((value) => typeof value === 'string'),
    ...wordsOfPattern(rest.pattern),
    ...Object.entries(properties).flatMap(([name, member]) => [name, ...wordsIn(member)]),
    ...(items === undefined ? [] : wordsIn(items)),
  ]);
}

const SLUG = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;
const CURRENCY = /^[A-Z]{3}$/;

function slugsIn(value: unknown): string[] {
  if (typeof value === 'string') return SLUG.test(value) || CURRENCY.test(value) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => [...slugsIn(name), ...slugsIn(member)]);
}

const slugsAndTextsIn = (provider: object): string[] => [...slugsIn(provider), ...textsIn(provider)];

/** Texts of several words. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}

/**
 * Whether the provider wrote the text into its file, such as the name of a public image, which stands where a customer
 * names an image of its own. One word could be the name of anything.
 */
export const isInFile = ({ provider = NOBODY }: Vocabulary, text: string): boolean =>
  text.includes(' ') && wordsOf(provider, slugsAndTextsIn).has(text);

/** The words of requests, and those of a provider's file, which a reload replaces by another object. */
const known = new WeakMap<object, ReadonlySet<string>>();

function wordsOf<T extends object>(source: T, find: (source: T) => readonly string[]): ReadonlySet<string> {
  const found = known.get(source) ?? new Set(find(source));
  known.set(source, found);
  return found;
}

const ID = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Amounts, times, sizes and other words with digits only between the signs. */
const NUMBER = /^[\d.:/T+-]+Z?$/;

export function isOursIn({ registry, provider = NOBODY }: Vocabulary): IsOurs {
  const words = wordsOf(registry, ({ endpoints, nouns }) => [
    ...(nouns?.values() ?? []),
    ...endpoints.flatMap(({ id, permission, path, params, body, query, resource }) => [
      id,
      permission,
      resource.name,
      resource.name.replaceAll('_', ' '),
      path.slice(1),
      ...[params, body, query].flatMap((schema) =>
        schema === undefined ? [] : wordsIn(schema as TextSchema),
      ),
    ]),
  ]);
  const slugs = wordsOf(provider, slugsAndTextsIn);
  return (word) =>
    words.has(word) ||
    tools.some(({ name }) => name === word) ||
    slugs.has(word) ||
    // A member within others, as `protection.delete` or as the JSON Pointer `remote_cidrs/1`.
    word.split(/[./]/).every((part) => words.has(part) || /^\d+$/.test(part)) ||
    ID.test(word) ||
    NUMBER.test(word) ||
    isIP(word.replace(/\/\d+$/, '')) !== 0;
}

const QUOTED_OR_JOINED = new RegExp(`"([^"]*)"|${JOINED.source}`, 'gu');

export const withoutNames = (sentence: string, isOurs: IsOurs): string =>
  sentence.replaceAll(QUOTED_OR_JOINED, (word, quoted: string | undefined) => {
    if (isOurs(quoted ?? word)) return word;
    return quoted === undefined ? '…' : '"…"';
  });

/** What is wrong with a value by itself. A sentence about it names what is allowed, and quotes at most what was sent. */
export const ABOUT_ONE_VALUE: readonly FieldCode[] = [
  'required',
  'invalid_format',
  'out_of_range',
  'too_long',
  'too_short',
  'too_many',
  'too_few',
  'not_unique',
  'unknown_member',
  'immutable',
  'mutually_exclusive',
];
