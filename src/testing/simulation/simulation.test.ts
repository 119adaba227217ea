import { describe, expect, it } from 'vitest';
import { triesAll } from '../../laws/sample.ts';
import { describeWorlds, openHomes } from './suite.ts';
import { simulate } from './world.ts';

const homes = openHomes();

describe('a seed', () => {
  it('repeats exactly the same run', async () => {
    for (const seed of [3, 1415, 92_653]) {
      const [once, again] = [await simulate(homes[0]!, seed), await simulate(homes[1]!, seed)];
      expect(again.trace.join('\n')).toBe(once.trace.join('\n'));
      expect(once.trace.length).toBeGreaterThan(20);
    }
  });
});

describeWorlds(homes, 1, triesAll ? 250 : 50);
