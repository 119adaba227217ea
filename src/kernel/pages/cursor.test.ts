import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../problems/problem.ts';
import { CursorSeal } from './cursor.ts';

const seal = new CursorSeal(randomBytes(32));
const positions = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 });

function refusalOf(list: string, cursor: string, length: number): string {
  try {
    return JSON.stringify(seal.read(list, cursor, length));
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe('CursorSeal', () => {
  it('reads back what it wrote, for the list it was written for', () => {
    fc.assert(
      fc.property(fc.string(), positions, (list, position) => {
        expect(seal.read(list, seal.write(list, position), position.length)).toEqual(position);
      }),
    );
  });

  it('writes cursors that need no URL encoding', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(seal.write('list', position)).toMatch(/^[\w-]+$/);
      }),
    );
  });

  it('refuses it for any other list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), positions, (list, other, position) => {
        fc.pre(list !== other);
        expect(refusalOf(other, seal.write(list, position), position.length)).toBe('invalid_cursor');
      }),
    );
  });

  it('refuses it with any letter changed, left out or added', () => {
    const letter = fc.constantFrom(...'ABCxyz019-_=+/ %');
    const change = fc.constantFrom('replace', 'remove', 'insert');
    fc.assert(
      fc.property(positions, fc.nat(), letter, change, (position, at, other, how) => {
        const cursor = seal.write('list', position);
        const place = at % cursor.length;
        const rest = cursor.slice(how === 'insert' ? place : place + 1);
        const changed = cursor.slice(0, place) + (how === 'remove' ? '' : other) + rest;
        fc.pre(changed !== cursor);
        expect(refusalOf('list', changed, position.length)).toBe('invalid_cursor');
      }),
    );
  });

  it('refuses any text that it did not write', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
        expect(refusalOf('list', text, 1)).toBe('invalid_cursor');
      }),
    );
  });

  it('refuses a position of another length, and the seal of another instance', () => {
    expect(refusalOf('list', seal.write('list', ['a', 'b']), 1)).toBe('invalid_cursor');
    const foreign = new CursorSeal(randomBytes(32)).write('list', ['a']);
    expect(refusalOf('list', foreign, 1)).toBe('invalid_cursor');
  });
});
