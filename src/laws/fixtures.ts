/** Loads all fixtures: every `fixture.ts` and `*.fixture.ts` below `src/families` and `src/testing`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fixture } from './fixture.ts';

const folders = ['../families', '../testing'].map((folder) => join(import.meta.dirname, folder));
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)(fixture|.+\.fixture)\.ts$/.test(file))
    .map((file) => join(folder, file)),
);

export const fixtures: readonly Fixture[] = await Promise.all(
  files.sort().map(async (file) => ((await import(file)) as { fixture: Fixture }).fixture),
);

export const fixtureOf = (collection: string): Fixture | undefined =>
  fixtures.find((fixture) => fixture.collection === collection);

/** Merges this member of all fixtures into one table. */
export function collect<K extends 'bodies' | 'creations' | 'scenarios' | 'variations' | 'ways'>(
  name: K,
): NonNullable<Fixture[K]> {
  return Object.assign({}, ...fixtures.map((fixture) => fixture[name] ?? {}));
}
