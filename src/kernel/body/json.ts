/**
 * JSON.parse keeps the last of two members with the same name and accepts any depth and any string. This parser refuses
 * ambiguous bodies and bodies that the database could not store, in one pass over the text and without recursion.
 */
import { Problem } from '../problems/problem.ts';

const MAX_DEPTH = 32;

function malformed(detail: string): Problem {
  return new Problem('malformed_request', { detail });
}

/** The text is known to be valid JSON, so only strings, brackets and commas matter. */
function refuseAmbiguity(text: string): void {
  const names: (Set<string> | null)[] = [];
  let expectsName = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i);
        const names_ = names.at(-1);
        if (expectsName && names_) {
          const name = JSON.parse(text.slice(i, end + 1)) as string;
          if (names_.has(name))
            throw malformed(`The member "${name.slice(0, 64)}" appears twice in one object.`);
          names_.add(name);
          expectsName = false;
        }
        i = end;
        break;
      }
      case 0x7b:
        names.push(new Set());
        expectsName = true;
        break;
      case 0x5b:
        names.push(null);
        expectsName = false;
        break;
      case 0x7d:
      case 0x5d:
        names.pop();
        expectsName = false;
        break;
      case 0x2c:
        expectsName = names.at(-1) !== null;
        break;
    }
    if (names.length > MAX_DEPTH) throw malformed(`The JSON is nested deeper than ${MAX_DEPTH} levels.`);
  }
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1;
  return i;
}

/** JSON allows escapes for NUL and for half of a surrogate pair, but PostgreSQL cannot store them. */
function refuseUnstorable(text: string): void {
  if (!text.includes('\\u')) return;
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(text))
    throw malformed('A string holds the character U+0000, which cannot be stored.');
  const escapes = /\\(?:u([0-9a-fA-F]{4})|.)/g;
  let high = -1;
  for (let match = escapes.exec(text); match !== null; match = escapes.exec(text)) {
    const unit = match[1] === undefined ? 0 : Number.parseInt(match[1], 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (high === match.index) || (high >= 0 && high !== match.index)) {
      throw malformed('A string holds half of a surrogate pair.');
    }
    high = unit >= 0xd800 && unit <= 0xdbff ? escapes.lastIndex : -1;
  }
  if (high >= 0) throw malformed('A string holds half of a surrogate pair.');
}

/** Removes the part of the body that newer JavaScript engines quote, because it may contain a secret. */
function whatIsWrong(error: unknown): string {
  if (!(error instanceof Error)) return 'unreadable';
  return error.message.replace(/^(Unexpected token '.'), .*$/su, '$1').slice(0, 200);
}

export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not valid JSON: ${whatIsWrong(error)}.`);
  }
  refuseAmbiguity(text);
  refuseUnstorable(text);
  return value;
}
