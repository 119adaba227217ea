/**
 * Tells our own sentences in refusals from what they quote. A sentence is ours if it was made from a text in our code
 * (`literals.ts`); the values in it are shown if they are words of ours, too, such as ids, permissions, plans, numbers.
 * In place of any other value stands `…`: it may be the name that somebody chose. So every word that is shown is one of
 * ours, whatever the values are.
 */
import { SLOT, sentencesOf } from './literals.ts';
import type { IsOurs } from './own-sentences.ts';
import sentences from './sentences.json' with { type: 'json' };
import { inToolWords } from './tool-words.ts';

/** The texts around the values of one sentence. */
type Template = readonly string[];

const METHOD = new RegExp(`\\b(?:GET|POST|PUT|PATCH|DELETE) (?=${SLOT}|/)`, 'g');

const wordCount = (template: Template): number => template.join('').length;

/** In refusals, calls of HTTP have become calls of tools, so that a method and a path are one value. */
function inTools(sentence: string): string[] {
  const said = inToolWords(sentence, []).replaceAll(METHOD, '');
  return [said, said.replace(`${SLOT} ${SLOT}`, SLOT)];
}

/** Those that say most come first. */
const templates: readonly Template[] = [...new Set(sentences.flatMap(inTools))]
  .map((each) => each.split(SLOT))
  .sort((a, b) => wordCount(b) - wordCount(a));

/** The values in a sentence of this template; undefined if it is not one. */
function valuesIn(text: string, [first = '', ...rest]: Template): string[] | undefined {
  if (rest.length === 0) return text === first ? [] : undefined;
  if (!text.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const [i, after] of rest.entries()) {
    const isLast = i === rest.length - 1;
    const end = isLast ? text.length - after.length : text.indexOf(after, at);
    if (end < at || (isLast && !text.endsWith(after))) return undefined;
    values.push(text.slice(at, end));
    at = end + after.length;
  }
  return values;
}

const CALL = /^call_(?:read|write|destructive) \w+(?: with (?:(?:and )?(?:path|query) \{[^{}]*\} ?)+)?$/;
const PART = /"(?:[^"\\]|\\.)*"|\w+/g;
const SIGNS = /^(?:call_read|call_write|call_destructive|with|and|path|query|true|false)$/;

/** A call of a tool whose operation and inputs are words of ours. */
const isOurCall = (value: string, isOurs: IsOurs): boolean =>
  CALL.test(value) &&
  (value.match(PART) ?? []).every((part) => SIGNS.test(part) || isOurs(part.replaceAll('"', '')));

const MORE = /^\d+ more$/;

/** `2 machines`, `One snapshot`, and `A machine has`: how many, of which thing of ours. */
const COUNTED = /^(?:A|An|One|\d+) (.+?)s?(?: has| have)?$/;

function isCount(value: string, isOurs: IsOurs): boolean {
  const [, thing] = COUNTED.exec(value) ?? [];
  return thing !== undefined && isOurs(thing);
}

/** Words of ours, each whole: one, or a list. */
const areOurs = (value: string, isOurs: IsOurs): boolean =>
  value === '' ||
  value.split(/, | or | and /).every((word) => isOurs(word) || MORE.test(word)) ||
  isCount(value, isOurs) ||
  isOurCall(value, isOurs);

const QUOTED = /^"([^"]*)"/;

function saidValue(value: string, isOurs: IsOurs): string {
  if (areOurs(value, isOurs)) return value;
  // A name in quotation marks, and perhaps something that we add: `"flex-9"; did you mean flex-8?`
  const [quotation = '', name = ''] = QUOTED.exec(value) ?? [];
  const rest = value.slice(quotation.length);
  const shown = quotation === '' ? '' : isOurs(name) ? quotation : '"…"';
  if (quotation !== '' && (rest === '' || rest === '.')) return `${shown}${rest}`;
  const added = /^[;,:(]/.test(rest) ? saidSentence(rest, isOurs) : undefined;
  return added === undefined ? '…' : `${shown}${added}`;
}

function saidSentence(sentence: string, isOurs: IsOurs): string | undefined {
  let best: string | undefined;
  for (const template of templates) {
    const values = valuesIn(sentence, template);
    if (values === undefined) continue;
    const shown = template.reduce((said, after, i) => said + saidValue(values[i - 1] ?? '', isOurs) + after);
    if (shown === sentence) return shown;
    best ??= shown;
  }
  return best;
}

/** The text with `…` for what is not ours; undefined if nothing in it is known to be ours. */
export function said(text: string, isOurs: IsOurs): string | undefined {
  const parts = sentencesOf(text).map((sentence) => saidSentence(sentence, isOurs));
  if (parts.every((part) => part === undefined)) return undefined;
  return parts.map((part) => part ?? '…').join(' ');
}
