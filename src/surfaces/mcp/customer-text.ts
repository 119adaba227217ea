/**
 * Marks text that customers, or programs on their machines, may have written: it moves into the member `customer_text`
 * of its object, so that a model can tell data from our own words. It is what a request can write (`written-names.ts`), what
 * the schema of the answer marks with `byOthers`, and labels. Other text is customer text as soon as it is more than
 * one code word, if the schema does not limit it. What follows a rule stays where it is, such as the ports of a firewall:
 * a model that sends an object back must not lose them. `unfold.ts` is the way back.
 */
import { ENDS_WITH, type TSchema, WRITTEN_BY } from '../../kernel/schema.ts';
import {
  ABOUT_ONE_VALUE,
  type IsOurs,
  isInFile,
  isOursIn,
  type Vocabulary,
  withoutNames,
} from './own-sentences.ts';
import { said } from './said.ts';
import { branchesOf, isFree, type TextSchema, writtenNames } from './written-names.ts';

type Json = Readonly<Record<string, unknown>>;

export const MARK = 'customer_text';

/** Control characters except tab and line feed, and invisible format characters such as those that reverse text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const withoutControls = (text: string): string =>
  text.replaceAll(UNSEEN, (sign) => (sign === '\n' || sign === '\t' ? sign : ''));

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function memberOf(schema: TextSchema | undefined, name: string): TextSchema | undefined {
  for (const branch of branchesOf(schema)) {
    const found = branch.properties?.[name];
    if (found !== undefined) return found;
  }
  return undefined;
}

const itemOf = (schema: TextSchema | undefined): TextSchema | undefined =>
  branchesOf(schema).find(({ items }) => items !== undefined)?.items;

/** One word without spaces: an id, a slug, a permission, an entity tag with its quotation marks. */
const CODE_WORD = /^(?:[\w.:/@+*=-]+|"[\w+/=-]+")$/;

/**
 * Marks what a problem may quote: every text that is more than one code word, and names. The schemas say nothing about
 * these members, and a detail is made of our words and of names that anybody in the account chose.
 */
export function markedQuotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markedQuotes);
  if (!isObject(value)) return value;
  const isQuote = (name: string, part: unknown): boolean =>
    typeof part === 'string' && part !== '' && (/(?:^|_)name$/.test(name) || !CODE_WORD.test(part));
  const members = Object.entries(value);
  const isTheirs = ([name, part]: [string, unknown]): boolean =>
    isQuote(name, part) || (Array.isArray(part) && part.some((item) => isQuote(name, item)));
  const theirs = Object.fromEntries(members.filter(isTheirs));
  const own = members.filter((member) => !isTheirs(member)).map(([name, part]) => [name, markedQuotes(part)]);
  return { ...Object.fromEntries(own), ...(Object.keys(theirs).length === 0 ? {} : { [MARK]: theirs }) };
}

/** An error about a field. A sentence about one value is ours; in another, what is not made of our words is left out. */
export function markedError(error: unknown, isOurs: IsOurs | undefined): unknown {
  const { code, detail } = (isObject(error) ? error : {}) as { code?: never; detail?: unknown };
  if (isOurs === undefined || typeof detail !== 'string') return markedQuotes(error);
  const shown = ABOUT_ONE_VALUE.includes(code as never) ? withoutNames(detail, isOurs) : said(detail, isOurs);
  if (shown === undefined) return markedQuotes(error);
  const { [MARK]: theirs, ...own } = markedQuotes({ ...(error as Json), detail: '' }) as Json;
  const all = { ...(theirs as Json | undefined), ...(shown === detail ? {} : { detail }) };
  return { ...own, detail: shown, ...(Object.keys(all).length === 0 ? {} : { [MARK]: all }) };
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : isObject(value) || Array.isArray(value);

/** In a rehearsal, it stands for the id of what an earlier call of the batch makes. */
const isReference = (value: unknown): boolean => typeof value === 'string' && /^\$\d\.id$/.test(value);

/** Whether the text is a sentence of the provider, which may quote names. */
const isSentence = (schema: TextSchema | undefined, value: unknown): boolean =>
  typeof value === 'string' &&
  /\s/.test(value) &&
  branchesOf(schema).some((each) => each[WRITTEN_BY] === 'provider');

/** Marks the answers of an API with these endpoints. */
class Marker {
  readonly #written: ReadonlySet<string>;
  readonly #isOurs: IsOurs;
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#written = writtenNames(vocabulary.registry);
    this.#isOurs = isOursIn(vocabulary);
    this.#vocabulary = vocabulary;
  }

  mark(value: unknown, schema: TextSchema | undefined): unknown {
    if (typeof value === 'string') {
      const text = withoutControls(value);
      return isSentence(schema, text) ? withoutNames(text, this.#isOurs) : text;
    }
    if (Array.isArray(value)) return value.map((item) => this.mark(item, itemOf(schema)));
    if (!isObject(value)) return value;
    const own: Record<string, unknown> = {};
    const theirs: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const name = withoutControls(key);
      const shape = memberOf(schema, key);
      if (this.#isCustomers(key, shape, member) && !this.#isProviders(member)) {
        theirs[name] = cleaned(member);
        continue;
      }
      own[name] = this.#withoutEnd(this.mark(member, shape), shape, value);
      // A sentence of ours that quotes a name: whole, it is customer text.
      if (own[name] !== withoutControls(String(member)) && isSentence(shape, member))
        theirs[name] = cleaned(member);
    }
    return Object.keys(theirs).length === 0 ? own : { ...own, [MARK]: theirs };
  }

  /** A text that ends with what another member shows, such as the comment of a key: without this end. */
  #withoutEnd(text: unknown, schema: TextSchema | undefined, around: Json): unknown {
    const end = around[schema?.[ENDS_WITH] ?? ''];
    if (typeof text !== 'string' || typeof end !== 'string' || end === '') return text;
    const tail = ` ${withoutControls(end)}`;
    return text.endsWith(tail) ? text.slice(0, -tail.length) : text;
  }

  #isProviders(value: unknown): boolean {
    return typeof value === 'string' && isInFile(this.#vocabulary, value);
  }

  #isCustomers(name: string, schema: TextSchema | undefined, value: unknown): boolean {
    const branches = branchesOf(schema);
    const by = branches.find((branch) => branch[WRITTEN_BY] !== undefined)?.[WRITTEN_BY];
    if (by !== undefined) return by === 'others' && isFilled(value);
    if (typeof value === 'string') {
      if (value === '' || isReference(value) || !branches.every(isFree)) return false;
      return this.#written.has(name) || !CODE_WORD.test(value);
    }
    if (Array.isArray(value))
      return value.some((item) => typeof item === 'string' && this.#isCustomers(name, itemOf(schema), item));
    // A map whose names the customer chooses: labels.
    const isMap = branches.some(({ additionalProperties }) => isObject(additionalProperties));
    return isObject(value) && isMap && Object.keys(value).length > 0;
  }
}

/** Returns a copy in which customer text is marked and no string has control characters. */
export const marked = (value: unknown, schema: TSchema | null | undefined, vocabulary: Vocabulary): unknown =>
  new Marker(vocabulary).mark(value, (schema ?? undefined) as TextSchema | undefined);

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return withoutControls(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutControls(name), cleaned(member)]),
  );
}
