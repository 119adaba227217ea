/** Reads and checks the user data of a request: plain or base64, with or without gzip. */
import { gunzipSync } from 'node:zlib';
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { textOf, USER_DATA_BYTES } from './guest.ts';

/** Accepts text with or without padding and line breaks. A single letter after the last group of four is invalid. */
function isBase64(text: string): boolean {
  const letters = /^([A-Za-z0-9+/]*)={0,2}$/.exec(text.replace(/\s+/g, ''))?.[1];
  return letters !== undefined && letters.length % 4 !== 1;
}

const refuse = (code: FieldError['code'], detail: string) =>
  invalid([{ pointer: '/user_data', code, detail }]);

/** Returns the decoded bytes to store. An empty text means no user data, because templates often send one. */
export function readUserData(text: string, encoding: 'plain' | 'base64' = 'plain'): Buffer | null {
  if (text === '') return null;
  if (encoding === 'base64' && !isBase64(text))
    throw refuse('invalid_format', 'This is not valid base64. For plain text, leave user_data_encoding out.');
  const data = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  if (data.length > USER_DATA_BYTES)
    throw refuse(
      'too_long',
      `User data may have at most ${USER_DATA_BYTES} bytes after decoding; this has ${data.length}.`,
    );
  if (data[0] === 0x1f && data[1] === 0x8b) refuseUnpackable(data);
  return data;
}

function refuseUnpackable(data: Buffer): void {
  try {
    // Data that grows to more than ten times the maximum is treated as a decompression bomb.
    gunzipSync(data, { maxOutputLength: USER_DATA_BYTES * 10 });
  } catch {
    throw refuse(
      'invalid_format',
      'The data starts like gzip, but cannot be decompressed, or is far too large when decompressed.',
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

/** cloud-init ignores user data that does not start with one of the `KNOWN` headers. Returns whether it does. */
export function warnIfIgnored({ warn }: Pick<Call, 'warn'>, data: Buffer | null): boolean {
  if (data === null) return false;
  const text = textOf(data).slice(0, 200).trimStart();
  if (KNOWN.some((word) => text.startsWith(word))) return false;
  warn({
    code: 'user_data_ignored',
    detail:
      'cloud-init will ignore this user data. Start it with a header that cloud-init supports, such as #cloud-config or #!.',
    pointer: '/user_data',
  });
  return true;
}

interface Access {
  readonly sshKeys: number;
  readonly userData: Buffer | null;
  /** What the caller asked for; undefined: a password only if there is no other way in. */
  readonly generatePassword: boolean | undefined;
}

/** Whether a password is generated. Warns of user data that has no effect, and of a machine that nobody can enter. */
export function decidePassword(
  call: Pick<Call, 'warn'>,
  { sshKeys, userData, generatePassword }: Access,
): boolean {
  const isIgnored = warnIfIgnored(call, userData);
  const isOpen = sshKeys > 0 || (userData !== null && !isIgnored);
  if (!isOpen && generatePassword === false)
    call.warn({
      code: 'no_login',
      detail:
        'Nobody can log in: there is no SSH key, no password and no user data that cloud-init reads. Send ssh_key_ids, or leave generate_password out.',
      pointer: '/generate_password',
    });
  if (isOpen && sshKeys === 0 && generatePassword !== true)
    call.warn({
      code: 'login_by_user_data',
      detail:
        'There is no SSH key and no password, so only users that the user data sets up can log in. Otherwise send ssh_key_ids, or set generate_password to true.',
      pointer: '/user_data',
    });
  return generatePassword ?? !isOpen;
}
