/**
 * The secrets in the texts of a request. Texts are stored in rows, events and bills, and everyone who reads them could
 * use the secret. A `writeOnly` member, which is never returned, may contain one.
 */
import { ADDRESS_PURPOSE } from '../chosen-addresses.ts';
import type { Warning } from '../effect.ts';
import { type FieldError, Problem } from '../problems/problem.ts';
import { alternativeOf } from '../variants.ts';
import { type FoundSecret, findSecrets, looksLikePassword } from './find.ts';
import { secretKinds } from './formats.ts';

interface Described {
  readonly writeOnly?: boolean;
  readonly 'x-secret'?: boolean;
  readonly [ADDRESS_PURPOSE]?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

interface SentText {
  /** To the member; for the name of a member, to the object that has it: the name must not be repeated. */
  readonly pointer: string;
  readonly text: string;
  readonly isName: boolean;
  /** A URL may be a secret of its owner, such as the address of a webhook. */
  readonly mayBeSecret: boolean;
}

function textsIn(value: unknown, schema: Described | undefined, pointer: string): SentText[] {
  if (schema?.writeOnly) return [];
  if (typeof value === 'string') {
    const mayBeSecret = schema?.['x-secret'] === true || schema?.[ADDRESS_PURPOSE] !== undefined;
    return [{ pointer, text: value, isName: false, mayBeSecret }];
  }
  if (Array.isArray(value))
    return value.flatMap((item, i) => textsIn(item, schema?.items, `${pointer}/${i}`));
  if (value === null || typeof value !== 'object') return [];
  const members = schema === undefined ? {} : alternativeOf(schema, value).properties;
  return Object.entries(value).flatMap(([name, member]) => {
    // What the schema declares is no text of the caller.
    if (members?.[name] !== undefined) return textsIn(member, members[name], `${pointer}/${name}`);
    const at = findSecrets(name).length > 0 ? pointer : `${pointer}/${escaped(name)}`;
    return [{ pointer, text: name, isName: true, mayBeSecret: false }, ...textsIn(member, undefined, at)];
  });
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function errorsIn({ pointer, text, isName, mayBeSecret }: SentText): FieldError[] {
  return findSecrets(text)
    .filter(({ kind }) => !mayBeSecret || kind === 'hostplane_key')
    .map((found) => (isName ? inName(pointer, found) : inText(pointer, found)));
}

const inName = (pointer: string, { kind }: FoundSecret): FieldError => ({
  pointer,
  code: kind,
  detail: `The name of a member in it contains a secret: ${secretKinds[kind]}`,
});

const inText = (pointer: string, { kind, offset, length }: FoundSecret): FieldError => ({
  pointer,
  code: kind,
  detail: `Contains a secret: ${secretKinds[kind]}`,
  offset,
  length,
});

/** Refuses a body whose texts contain a secret. */
export function refuseSecrets(schema: object, body: unknown): void {
  const errors = textsIn(body, schema as Described, '').flatMap(errorsIn);
  if (errors.length > 0) throw new Problem('secret_in_text', { errors });
}

/** Passwords have no format of their own, so a text that looks like one is accepted. */
export function passwordWarnings(schema: object, body: unknown): Warning[] {
  return textsIn(body, schema as Described, '')
    .filter(({ text, isName, mayBeSecret }) => !isName && !mayBeSecret && looksLikePassword(text))
    .map(({ pointer }) => ({
      code: 'possible_secret',
      detail: 'The text looks as if it contained a password, and others can read it. Change it if it does.',
      pointer,
    }));
}
