/** Generic words for the change of one member, made from the change that the audit entry keeps. */

import { canonicalJson } from '../audit/canonical-json.ts';
import type { AuditChange } from '../audit/entry.ts';
import { type ForeseenChange, loosensBy, quoted, says, type Telling } from './change-words.ts';

type Subject = Pick<Telling, 'noun' | 'subject'>;
type Path = readonly string[];

/**
 * Longer values and free text are not repeated: nobody compares two keys or two descriptions inside a sentence, and a
 * model that reads our sentences should find as little text of others in them as possible.
 */
const SHOWN = /^[\w.:/@+*=-]{1,60}$/;

/** Members whose values are secrets or may hold one, such as the address of a webhook, or that are free text. */
const UNSHOWN = /(_sha256|secret|password|token|user_data|url|_key|description)$/;

/** The unit at the end of a name stands with the values instead. */
const UNIT = /_(gb|mb|hours|seconds|days)$/;
const unitOf = (name: string): string => {
  const [, unit = ''] = UNIT.exec(name) ?? [];
  return unit === '' ? '' : ` ${unit.length === 2 ? unit.toUpperCase() : unit}`;
};

/** Words of the product that are not written like the members. */
const spellings: Readonly<Record<string, string>> = {
  vm: 'machine',
  vcpus: 'vCPUs',
  ips: 'IPs',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
  dns: 'DNS',
  iso: 'ISO',
  url: 'URL',
  cidrs: 'ranges',
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
const isMap = (before: unknown, after: unknown): boolean =>
  (isObject(before) || isObject(after)) && [before, after].every((value) => value == null || isObject(value));

/** `/iso/iso_id` is the ISO: a word that follows itself is said once. */
const wordsOf = (path: Path): string =>
  path
    .flatMap((part) =>
      part
        .replace(/_sha256$|_ids?$/, '')
        .replace(UNIT, '')
        .split('_'),
    )
    .filter((word, i, words) => word !== words[i - 1])
    .map((word) => spellings[word] ?? word)
    .join(' ');

/** Null if the value is not shown. */
function shownValue(value: unknown): string | null {
  const text = value instanceof Date ? value.toISOString() : String(value);
  return SHOWN.test(text) ? text : null;
}

function scalarWords(path: Path, before: unknown, after: unknown, subject: string): string {
  const what = `the ${wordsOf(path)} of ${subject}`;
  const name = path.at(-1) ?? '';
  if (typeof after === 'boolean' && name === 'enabled') return `${after ? 'enables' : 'disables'} ${subject}`;
  if (typeof after === 'boolean') return `turns ${after ? 'on' : 'off'} ${what}`;
  const isEmpty = (value: unknown): boolean => value == null || value === '';
  if (isEmpty(after)) return `removes ${what}`;
  const [old, now] = UNSHOWN.test(name) ? [null, null] : [shownValue(before), shownValue(after)];
  if (now === null || (old === null && !isEmpty(before)))
    return `${isEmpty(before) ? 'sets' : 'changes'} ${what}`;
  const unit = unitOf(name);
  return isEmpty(before)
    ? `sets ${what} to ${now}${unit}`
    : `changes ${what} from ${old}${unit} to ${now}${unit}`;
}

/** An item of a list; null if it is not a single value that can be shown. */
const itemOf = (item: unknown): string | null => (isObject(item) ? null : shownValue(item));

function listWords(path: Path, before: readonly unknown[], after: readonly unknown[], subject: string) {
  const what = `the ${wordsOf(path)} of ${subject}`;
  const missingIn = (list: readonly unknown[], other: readonly unknown[]): readonly unknown[] => {
    const known = new Set(other.map(canonicalJson));
    return list.filter((item) => !known.has(canonicalJson(item)));
  };
  const said = (items: readonly unknown[]): string => {
    const shown = items.map(itemOf);
    return shown.length <= 5 && shown.every((item) => item !== null)
      ? shown.join(', ')
      : `${items.length} ${items.length === 1 ? 'entry' : 'entries'}`;
  };
  const added = missingIn(after, before);
  const gone = missingIn(before, after);
  const texts = [
    ...(added.length === 0 ? [] : [`adds ${said(added)} to ${what}`]),
    ...(gone.length === 0 ? [] : [`removes ${said(gone)} from ${what}`]),
  ];
  return texts.length === 0 ? [`changes the order of ${what}`] : texts;
}

function labelWords(before: object, after: object, subject: string): string[] {
  const [old, now] = [Object.entries(before), new Map(Object.entries(after))];
  const known = new Map(old);
  return [
    ...[...now]
      .filter(([name, value]) => known.get(name) !== value)
      .map(
        ([name, value]) => `sets the label "${name}${SHOWN.test(value) ? `=${value}` : ''}" of ${subject}`,
      ),
    ...old.filter(([name]) => !now.has(name)).map(([name]) => `removes the label "${name}" from ${subject}`),
  ];
}

const dangers: Readonly<Record<string, string>> = { delete: 'deletion', redeploy: 'redeployment' };

/** `protected`, `protected_delete` or `protection` with the member `delete`: what the member protects against. */
function dangerOf(path: Path): string | undefined {
  const [, danger] = /^protect(?:ed|ion)[ _]?(.*)$/.exec(path.join('_')) ?? [];
  return danger === '' ? dangers['delete'] : danger && (dangers[danger] ?? danger);
}

function leafWords(
  path: Path,
  before: unknown,
  after: unknown,
  { noun, subject }: Subject,
): ForeseenChange[] {
  const danger = dangerOf(path);
  if (danger !== undefined && typeof after === 'boolean')
    return after
      ? [says(`protects ${subject} against ${danger}`)]
      : [loosensBy(`takes the protection against ${danger} from ${subject}`)];
  if (path.length === 1 && path[0] === 'name')
    return [says(`renames the ${noun} ${quoted(String(before))} to ${quoted(String(after))}`)];
  if (Array.isArray(before) || Array.isArray(after))
    return listWords(path, (before ?? []) as unknown[], (after ?? []) as unknown[], subject).map(says);
  return [says(scalarWords(path, before, after, subject))];
}

function walk(path: Path, before: unknown, after: unknown, about: Subject): ForeseenChange[] {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null) && !(after instanceof Date)) return [];
  if (!isMap(before, after)) return leafWords(path, before, after, about);
  const [old, now] = [(before ?? {}) as Record<string, unknown>, (after ?? {}) as Record<string, unknown>];
  if (path.at(-1) === 'labels') return labelWords(old, now, about.subject).map(says);
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names.flatMap((name) => walk([...path, name], old[name], now[name], about));
}

/** At least one sentence: a change that differs only in what is not shown is named without values. */
export function memberWords({ pointer, before, after }: AuditChange, about: Subject): ForeseenChange[] {
  const path = pointer.split('/').slice(1);
  const words = walk(path, before, after, about);
  return words.length > 0 ? words : [says(`changes the ${wordsOf(path)} of ${about.subject}`)];
}
