/** The texts in a file that people could read, so that secrets in them are found. */
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { textIn } from './recognise.ts';
import type { ContentType } from './schema.ts';

const inflated = promisify(inflate);

/** Of all streams of a file together, when they are unpacked. */
const MOST_UNPACKED = 32 * 1024 * 1024;
/** Of all texts of a picture together, which are a few lines. */
const MOST_IN_PICTURE = 1024 * 1024;

/** The content cannot be read, so nobody can say what is in it. */
export class NotReadable extends Error {}

async function unpack(packed: Buffer, left: number): Promise<Buffer | undefined> {
  try {
    return await inflated(packed, { maxOutputLength: Math.max(1, left) });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new NotReadable('It is too large when it is unpacked.');
    return undefined;
  }
}

const LITERAL = /\((?:\\[\s\S]|[^\\()])*\)|<([0-9A-Fa-f\s]{2,})>|\]|[Tt][Jj*']/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

const unescaped = (literal: string): string =>
  literal
    .slice(1, -1)
    .replace(/\\([0-7]{1,3}|\r\n|[\s\S])/g, (_, code: string) =>
      /^[0-7]/.test(code)
        ? String.fromCharCode(Number.parseInt(code, 8) & 0xff)
        : /^[\r\n]/.test(code)
          ? ''
          : (ESCAPES[code] ?? code),
    );

/** The strings that a page shows. Those of one operator stand together: a word may be in several of them. */
function shownIn(content: string): string {
  let text = '';
  for (const { 0: token, 1: hex } of content.matchAll(LITERAL)) {
    if (token.startsWith('(')) text += unescaped(token);
    else if (hex !== undefined) text += Buffer.from(hex.replaceAll(/\s/g, ''), 'hex').toString('latin1');
    else if (token !== ']') text += '\n';
  }
  return text;
}

async function* inPdf(bytes: Buffer): AsyncGenerator<string> {
  const raw = bytes.toString('latin1');
  if (/\/Encrypt\b/.test(raw)) throw new NotReadable('It is encrypted.');
  yield raw;
  let left = MOST_UNPACKED;
  for (const { 0: opening, index } of raw.matchAll(/stream\r?\n/g)) {
    const start = index + opening.length;
    if (raw.slice(index - 3, index) === 'end') continue;
    const end = raw.indexOf('endstream', start);
    const plain = await unpack(bytes.subarray(start, end < 0 ? undefined : end), left);
    if (plain === undefined) continue;
    left -= plain.length;
    const content = plain.toString('latin1');
    yield content;
    yield shownIn(content);
  }
  yield shownIn(raw);
}

async function* inPng(bytes: Buffer): AsyncGenerator<string> {
  let left = MOST_IN_PICTURE;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (type !== 'IDAT') {
      yield data.toString('utf8');
      // The text of zTXt and iTXt follows the header, which ends with zeroes.
      if (type === 'zTXt' || type === 'iTXt')
        for (let i = 0; i < Math.min(data.length, 200); i++)
          if (data[i] === 0x78) {
            const text = await unpack(data.subarray(i), left);
            if (text === undefined) continue;
            left -= text.length;
            yield text.toString('utf8');
          }
    }
    at += 12 + length;
    // What stands behind the end is shown by no program, and read by some.
    if (type === 'IEND') yield bytes.toString('latin1', at);
  }
}

async function* inJpeg(bytes: Buffer): AsyncGenerator<string> {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    const length = bytes.readUInt16BE(at + 2);
    if (marker === 0xda) return;
    yield bytes.toString('latin1', at + 4, at + 2 + length);
    at += 2 + length;
  }
}

export async function* textsOf(type: ContentType, bytes: Buffer): AsyncGenerator<string> {
  if (type === 'application/pdf') yield* inPdf(bytes);
  else if (type === 'image/png') yield* inPng(bytes);
  else if (type === 'image/jpeg') yield* inJpeg(bytes);
  else yield textIn(bytes) ?? '';
}
