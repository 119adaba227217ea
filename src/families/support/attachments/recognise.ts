/** Says what a file is by its content. Its name says nothing. */
import type { ContentType } from './schema.ts';

const begins = (bytes: Buffer, ...first: readonly number[]): boolean =>
  bytes.length >= first.length && first.every((byte, i) => bytes[i] === byte);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What no text has: control characters, except those that logs and the colours of a terminal are made of. */
const NOT_TEXT = new RegExp(`[^\\P{Cc}\\b\\t\\n\\v\\f\\r${String.fromCharCode(27)}]`, 'u');

/** The text, or undefined if the bytes are none. */
export function textIn(bytes: Buffer): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return NOT_TEXT.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** The types that the content can have; none if it is of a type that is not accepted. */
export function typesOf(bytes: Buffer): readonly ContentType[] {
  if (begins(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return ['image/png'];
  if (begins(bytes, 0xff, 0xd8, 0xff)) return ['image/jpeg'];
  if (begins(bytes, 0x25, 0x50, 0x44, 0x46, 0x2d)) return ['application/pdf'];
  const text = textIn(bytes);
  if (text === undefined) return [];
  return isJson(text) ? ['text/plain', 'text/csv', 'application/json'] : ['text/plain', 'text/csv'];
}
