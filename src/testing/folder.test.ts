import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeLeftovers } from './folder.ts';
import { MEMORY } from './memory-folder.ts';

it('removes what a killed run left behind, in memory and on the disk', async () => {
  const { pid } = spawnSync('true');
  const places = [tmpdir(), ...(existsSync(MEMORY) ? [MEMORY] : [])];
  const left = places.map((place) => mkdtempSync(join(place, `hostplane-test-${pid}-`)));
  await removeLeftovers();
  expect(left.filter(existsSync)).toEqual([]);
});
