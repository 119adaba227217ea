import { describe, expect, it } from 'vitest';
import { exemptions } from './exemptions.ts';
import { sources } from './sources.ts';

/** Whether an entry is still needed is checked by its law, which compares its findings with its list. */
describe.each(Object.entries(exemptions))('exemptions from %s', (law, entries) => {
  it('are asked for by some law', () => {
    const asking = sources.filter(({ path }) => /^src\/laws\/.+\.test\.ts$/.test(path));
    expect(asking.some(({ text }) => text.includes(`exemptFrom('${law}')`))).toBe(true);
  });

  it('have a reason each and name nothing twice', () => {
    expect(entries.filter(({ reason }) => !/^[A-Z].{20,}\.$/.test(reason))).toEqual([]);
    expect(new Set(entries.map(({ subject }) => subject)).size).toBe(entries.length);
  });
});
