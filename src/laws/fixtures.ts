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

type Entries = Readonly<Record<string, unknown>>;

/** What several fixtures say about the same operation: lists and tables are joined. */
function joined(name: string, id: string, before: unknown, more: unknown): unknown {
  if (before === undefined) return more;
  if (Array.isArray(before) && Array.isArray(more)) return [...before, ...more];
  if (typeof before !== 'object' || typeof more !== 'object')
    throw new Error(`Two fixtures have ${name} of ${id}.`);
  return { ...before, ...more };
}

/** Merges this member of all fixtures into one table. */
export function collect<
  K extends 'bodies' | 'counted' | 'creations' | 'largest' | 'scenarios' | 'variations' | 'ways',
>(name: K): NonNullable<Fixture[K]> {
  const all: Record<string, unknown> = {};
  for (const [id, value] of fixtures.flatMap((fixture) => Object.entries((fixture[name] ?? {}) as Entries)))
    all[id] = joined(name, id, all[id], value);
  return all as NonNullable<Fixture[K]>;
}
