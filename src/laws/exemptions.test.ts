import { describe, expect, it } from 'vitest';
import { exemptions } from './exemptions.ts';
import { sources } from './sources.ts';

/** Whether an entry is still needed is checked by its law, which compares its findings with its list. */
describe.each(Object.entries(exemptions))('exemptions from %s', (law, entries) => {
  it('are used by a law', () => {
    const asking = sources.filter(({ path }) => /^src\/laws\/.+\.test\.ts$/.test(path));
    expect(asking.some(({ text }) => text.includes(`exemptFrom('${law}')`))).toBe(true);
  });

  it('each have a reason, and are listed once', () => {
    expect(entries.filter(({ reason }) => !/^[A-Z].{20,}\.$/.test(reason))).toEqual([]);
    expect(new Set(entries.map(({ subject }) => subject)).size).toBe(entries.length);
  });
});
