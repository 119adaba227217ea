import { TypeID } from 'typeid-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { idPrefix, kindOfId, newId } from './ids.ts';

afterEach(() => void vi.useRealTimers());

const uuidOf = (id: string): string => TypeID.fromString(id).toUUID();

describe('newId', () => {
  it('is a TypeID of a UUIDv7', () => {
    for (let i = 0; i < 5000; i++) {
      const id = newId('request');
      expect(id).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(uuidOf(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('begins with its creation time', () => {
    const timeOf = (id: string): number => Number.parseInt(uuidOf(id).replaceAll('-', '').slice(0, 12), 16);
    // Ids of earlier tests may have had a clock in the future, and time never goes back.
    const last = timeOf(newId('account'));
    const before = Date.now();
    const time = timeOf(newId('account'));
    // When ids are created quickly, the counter overflows and `newId` uses times a few milliseconds ahead.
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThan(Math.max(last, Date.now()) + 100);
  });

  it('increases and never repeats, even within a millisecond and if the clock goes back', () => {
    vi.useFakeTimers({ now: Date.now() + 60_000 });
    const ids: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      if (i % 5000 === 0) vi.setSystemTime(Date.now() - 1000);
      ids.push(newId('audit_entry'));
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort());
  });

  it('ends in random characters of the whole alphabet', () => {
    const seen = Array.from({ length: 12 }, () => new Set<string>());
    for (let i = 0; i < 3000; i++) {
      const letters = newId('member').slice(-12);
      for (const [place, set] of seen.entries()) set.add(letters[place] ?? '');
    }
    expect(seen.map((set) => set.size)).toEqual(seen.map(() => 32));
  });
});

describe('idPrefix', () => {
  it('declares a type of ids, which can then be generated and recognised', () => {
    const newSprocketId = idPrefix('sprocket', 'spr');
    expect(newSprocketId()).toMatch(/^spr_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(kindOfId(newSprocketId())).toBe('sprocket');
    expect(kindOfId('nix_01jqzv2m7xe9rs5d3k8w4t6y0b')).toBeUndefined();
  });

  it('refuses a prefix or a type that was declared before', () => {
    expect(() => idPrefix('sprig', 'req')).toThrow('Ids of request and sprig would both begin with "req_".');
    expect(() => idPrefix('request', 'rq')).toThrow('Two prefixes were declared');
  });
});
