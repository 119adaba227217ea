import { describe, expect, it } from 'vitest';
import { issueKey } from '../access/key-format.ts';
import { addressFor } from '../chosen-addresses.ts';
import { Problem } from '../problems/problem.ts';
import { Secret, Shape, Type } from '../schema.ts';
import { passwordWarnings, refuseSecrets } from './in-body.ts';

const { key } = issueKey();
const privateKey = `-----BEGIN ${'PRIVATE'} KEY-----`;
const Body = Shape({
  description: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  notes: Type.Array(Shape({ text: Type.String() })),
  url: Type.String(addressFor('called_url')),
  password: Secret(Type.String()),
  user_data: Type.String({ writeOnly: true }),
});

const errorsOf = (body: object) => {
  try {
    refuseSecrets(Body, body);
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
};

describe('A body', () => {
  it('is refused with the pointer, kind and place of each secret, and repeats none of them', () => {
    const errors = errorsOf({
      description: `see ${key}`,
      labels: { note: key, [key]: 'web' },
      notes: [{ text: 'fine' }, { text: privateKey }],
    });
    expect(errors).toMatchObject([
      { pointer: '/description', code: 'hostplane_key', offset: 4, length: 56 },
      { pointer: '/labels/note', code: 'hostplane_key', offset: 0 },
      { pointer: '/labels', code: 'hostplane_key' },
      { pointer: '/notes/1/text', code: 'private_key', offset: 0, length: privateKey.length },
    ]);
    expect(JSON.stringify(errors)).not.toContain(key.slice(20));
  });

  it('may have a secret of others where secrets belong, but no API key', () => {
    expect(errorsOf({ user_data: `${key} ${privateKey}` })).toEqual([]);
    expect(errorsOf({ password: privateKey })).toEqual([]);
    expect(
      errorsOf({ url: 'https://hooks.slack.com/services/T0123456/B0123456/abcdefgh0123456789ijklmn' }),
    ).toEqual([]);
    expect(errorsOf({ url: `https://example.com/${key}` })).toMatchObject([{ pointer: '/url' }]);
    expect(errorsOf({ password: key })).toMatchObject([{ pointer: '/password' }]);
  });

  it('is accepted with a warning if a text looks like a password', () => {
    const body = {
      description: 'password: hunter2!',
      password: 'password: hunter2!',
      labels: { note: 'web' },
    };
    expect(passwordWarnings(Body, body)).toMatchObject([
      { code: 'possible_secret', pointer: '/description' },
    ]);
    expect(errorsOf(body)).toEqual([]);
  });
});
