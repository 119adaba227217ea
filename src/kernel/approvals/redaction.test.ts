import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { issueKey } from '../access/key-format.ts';
import { Labels, Nullable, Secret, Shape, Type } from '../schema.ts';
import { redact } from './redaction.ts';

const Body = Shape({
  name: Type.String(),
  password: Type.Optional(Secret(Type.String())),
  logins: Type.Array(Shape({ user: Type.String(), token: Nullable(Secret(Type.String())) })),
  labels: Labels,
});

describe('the body that is shown to the person who approves', () => {
  it('hides every secret that the schema marks, but shows that it was sent', () => {
    const body = { name: 'one', password: 'p1', logins: [{ user: 'u', token: 't1' }], labels: { a: 'b' } };
    expect(redact(Body, body)).toEqual({
      name: 'one',
      password: '***',
      logins: [{ user: 'u', token: '***' }],
      labels: { a: 'b' },
    });
    expect(redact(Body, { name: 'one', logins: [], labels: {} })).toEqual({
      name: 'one',
      logins: [],
      labels: {},
    });
  });

  it('hides API keys, also in a text that is truncated', () => {
    const { key, publicId } = issueKey();
    for (const length of [0, 1_940, 1_980, 1_999]) {
      const shown = JSON.stringify(redact(undefined, { note: `${'x'.repeat(length)}${key} and on` }));
      expect(shown).not.toContain(key.slice(18, 24));
      if (length === 0) expect(shown).toContain(`hpk1_${publicId}_***`);
    }
  });

  it('is null if the call had no body', () => {
    expect(redact(Body, undefined)).toBeUndefined();
  });

  it('can be stored in the database, however long the body was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1990, max: 2010 }), fc.string({ unit: 'binary' }), (length, end) => {
        const { text } = redact(undefined, { text: `${'😀'.repeat(length / 2)}x${end}` }) as { text: string };
        expect(() => encodeURIComponent(text)).not.toThrow();
        expect(text.length).toBeLessThan(2_050);
      }),
    );
  });
});
