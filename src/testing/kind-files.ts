/**
 * Which file defines a kind of operations. The names of some kinds are put together from parts, so the text
 * of the files does not tell it, but what they export does.
 */
import { join } from 'node:path';
import type { Kind } from '../kernel/operations/kind.ts';

const KIND_FILE = /^src\/(families|kernel|pipeline|operations)\/.*\bkinds?\.ts$/;
const root = join(import.meta.dirname, '../..');

/** By type: the paths of the files that export the kind, by itself or as a member of a list or a table. */
export async function findKindFiles(
  kinds: readonly Kind[],
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const path of paths.filter((each) => KIND_FILE.test(each))) {
    const exported: unknown[] = Object.values((await import(join(root, path))) as object);
    const values = new Set(exported.flatMap((value) => [value, ...membersOf(value)]));
    for (const kind of kinds.filter((each) => values.has(each)))
      found.set(kind.type, [...(found.get(kind.type) ?? []), path]);
  }
  return found;
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
