/** Finds secrets in a text that others can read. What was found is never repeated: only its kind and its place. */
import { inJoinedWords, inWords, type SecretKind, SHORTEST_SECRET } from './formats.ts';
import { type Reading, readingsOf } from './readings.ts';

export interface FoundSecret {
  readonly kind: SecretKind;
  /** Its place in the text, in UTF-16 units. */
  readonly offset: number;
  readonly length: number;
}

/** The secrets of a text in the order of their places, each place once. */
export function findSecrets(text: string): readonly FoundSecret[] {
  if (text.length < SHORTEST_SECRET) return [];
  const found = readingsOf(text).flatMap(secretsOfReading);
  const byPlace = found.sort((one, other) => one.offset - other.offset || other.length - one.length);
  let end = 0;
  return byPlace.filter(({ offset, length }) => {
    const isNew = offset >= end;
    if (isNew) end = offset + length;
    return isNew;
  });
}

function secretsOfReading(reading: Reading): FoundSecret[] {
  const searches = reading.isJoined ? inJoinedWords : inWords;
  // `matchAll` copies the expression at each call, and nearly all texts contain nothing.
  const hits = searches.filter(({ pattern }) => reading.text.search(pattern) >= 0);
  return hits.flatMap(({ kind, pattern, confirms }) =>
    [...reading.text.matchAll(pattern)]
      .filter(([match]) => confirms(match))
      .map(({ 0: match, index, groups }) => ({
        kind,
        ...reading.place(index - (groups?.['head']?.length ?? 0), index + match.length),
      })),
  );
}

const ASSIGNED =
  /(?<![A-Za-z0-9])(?:password|passwd|pwd|passphrase|passwort|contraseña|secret|api[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?([^\s"'<>${}*]{6,})/gi;
const IN_URL = /(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,64}:([^\s@/<>${}*]{3,128})@/gi;

/** Whether a text looks as if it gave away a password, which has no format of its own. */
export const looksLikePassword = (text: string): boolean =>
  [ASSIGNED, IN_URL].some((pattern) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  });

/** What people write where a password would stand. */
const PLACEHOLDER =
  /^(?:x+|\.+|-+|_+|#+|pass|passwd|password|pwd|pw|secret|token|key|redacted|removed|hidden|masked|omitted|changeme|example|your.*|my[_-]?pass.*|the[_-]?pass.*|\[.*|\(.*|%[a-z_]+%)$/i;

/** The places of passwords in URLs, such as `postgres://app:…@db.example.com`, where no placeholder stands. */
export const passwordsInUrls = (text: string): Omit<FoundSecret, 'kind'>[] =>
  [...text.matchAll(IN_URL)]
    .filter(([, password = '']) => !PLACEHOLDER.test(password))
    .map(({ 0: match, index }) => ({ offset: index, length: match.length }));
