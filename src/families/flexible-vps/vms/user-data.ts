/** User data as callers send it: plain or base64, packed or not. */
import { gunzipSync } from 'node:zlib';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { USER_DATA_BYTES } from './guest.ts';

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

const refuse = (code: FieldError['code'], detail: string) =>
  invalid([{ pointer: '/user_data', code, detail }]);

/** What is stored: the bytes that were meant. */
export function readUserData(text: string, encoding: 'plain' | 'base64' = 'plain'): Buffer {
  if (encoding === 'base64' && !BASE64.test(text))
    throw refuse('invalid_format', 'This is not base64; leave user_data_encoding out for plain text.');
  const data = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  if (data.length > USER_DATA_BYTES)
    throw refuse('too_long', `At most ${USER_DATA_BYTES} bytes decoded; these are ${data.length}.`);
  if (data[0] === 0x1f && data[1] === 0x8b) refuseUnpackable(data);
  return data;
}

function refuseUnpackable(data: Buffer): void {
  try {
    // More than ten times what may be sent is no configuration but a bomb.
    gunzipSync(data, { maxOutputLength: USER_DATA_BYTES * 10 });
  } catch {
    throw refuse(
      'invalid_format',
      'It begins like gzip but cannot be unpacked, or is far too large unpacked.',
    );
  }
}

const KNOWN = [
  '#cloud-config',
  '#!',
  '#include',
  '#cloud-boothook',
  '#part-handler',
  '## template:',
  'Content-Type:',
  'MIME-Version:',
];

/** cloud-init passes over what begins with none of its words. */
export function isIgnored(data: Buffer): boolean {
  if (data[0] === 0x1f && data[1] === 0x8b) return false;
  const text = data.toString('utf8', 0, 200).trimStart();
  return !KNOWN.some((word) => text.startsWith(word));
}
