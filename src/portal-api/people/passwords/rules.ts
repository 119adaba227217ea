/** Which passwords are accepted: at least 12 characters, and not one that is tried first. */
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import { Secret, Type } from '../../../kernel/schema.ts';

const SHORTEST = 12;

/** Only the length: `passwordFaults` checks the rest and says what is wrong. */
export const NewPassword = Secret(Type.String({ minLength: SHORTEST, maxLength: 200 }));
export const Password = Secret(Type.String({ minLength: 1, maxLength: 200 }));

const common = [
  'password passwort motdepasse contrasena welcome willkommen bienvenue letmein iloveyou ichliebedich sunshine',
  'princess football baseball superman batman dragon monkey master shadow trustno starwars whatever freedom',
  'administrator admin root changeme changethis changeit default secret geheim hallo hello qwerty qwertz azerty',
  'qwertyuiop qwertzuiop asdfghjkl asdfghjklo zxcvbnm yxcvbnm correcthorsebatterystaple abcdefghijkl',
  'thisisapassword mypassword yourpassword passwordpassword adminadmin testtest test user guest summer winter',
  'sommer januar february company hostplane',
]
  .join(' ')
  .split(' ');

const FEWEST_CHARACTERS = 5;
const RUNS = ['abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjklyxcvbnm'];
const DIGITS = '01234567890123456789012345678901234567890';

function isRun(text: string): boolean {
  const backwards = [...text].reverse().join('');
  return [...RUNS, DIGITS].some((run) => run.includes(text) || run.includes(backwards));
}

/** Without digits and signs, as in "Password2026!!": the rest must not be a common word, once or repeated. */
function isCommon(text: string): boolean {
  const letters = text
    .replaceAll('0', 'o')
    .replaceAll('1', 'i')
    .replaceAll('3', 'e')
    .replaceAll(/[4@]/g, 'a')
    .replaceAll(/[5$]/g, 's');
  const words = [text.replaceAll(/[^a-z]/g, ''), letters.replaceAll(/[^a-z]/g, '')];
  return words.some((word) => common.some((known) => word.replaceAll(known, '').length < 3));
}

function reasonFor(password: string, names: readonly string[]): string | null {
  const text = password.toLowerCase();
  const parts = names
    .flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((part) => part.length > 3);
  if (new Set(text).size < FEWEST_CHARACTERS) return 'Use more different characters.';
  if (isRun(text)) return 'Do not use a row of keys or letters.';
  const rest = parts.reduce((left, part) => left.replaceAll(part, ''), text);
  if (rest.length < SHORTEST / 2) return 'Do not build it from your name or your e-mail address.';
  if (isCommon(text))
    return 'This is one of the passwords that are tried first. Choose another, such as four unrelated words.';
  return null;
}

/** `names`: what others know about the person. */
export function passwordFaults(
  password: string,
  names: readonly string[],
  pointer = '/password',
): FieldError[] {
  const detail = reasonFor(password, names);
  return detail === null ? [] : [{ pointer, code: 'invalid_format', detail }];
}

/** Throws if the password is not good enough for this person. */
export function requireGoodPassword(password: string, names: readonly string[], pointer = '/password'): void {
  const faults = passwordFaults(password, names, pointer);
  if (faults.length > 0) throw invalid(faults);
}
