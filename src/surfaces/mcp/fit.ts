/**
 * Keeps answers within the token budget. Valid JSON is made smaller by leaving out members and items, never by cutting
 * its text; the answer says what was left out.
 */
import { estimateTokens } from './tokens.ts';

/** Below the limit of 6,000, because the text around the data counts too. */
export const BUDGET = 5_500;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const sizeOf = (value: unknown): number => estimateTokens(JSON.stringify(value) ?? '');

/** Members that say which thing it is and how it is: they stay as long as anything stays. */
const KEPT = new Set(['id', 'status', 'customer_text', 'next_cursor']);

export interface Narrowed<T> {
  readonly value: T;
  /** What was left out, in words; empty if nothing was. */
  readonly left: readonly string[];
}

/** Leaves out the same members of all rows, the largest first, until the rows fit; not those that were asked for. */
export function narrowRows(
  rows: readonly unknown[],
  budget = BUDGET,
  asked: readonly string[] = [],
): Narrowed<unknown[]> {
  let kept = [...rows];
  const left: string[] = [];
  while (sizeOf(kept) > budget) {
    const sizes = new Map<string, number>();
    for (const row of kept)
      if (isObject(row))
        for (const [name, member] of Object.entries(row))
          if (member !== null && typeof member === 'object' && !KEPT.has(name) && !asked.includes(name))
            sizes.set(name, (sizes.get(name) ?? 0) + sizeOf(member));
    const [largest] = [...sizes].sort((a, b) => b[1] - a[1]);
    if (largest === undefined) break;
    const [name] = largest;
    left.push(name);
    kept = kept.map((row) => (isObject(row) ? without(row, name) : row));
  }
  return { value: kept, left };
}

function without(row: Json, name: string): Json {
  const { [name]: _, ...rest } = row;
  return rest;
}

/** How many of the rows fit, at least one. */
export function countThatFits(rows: readonly unknown[], budget = BUDGET): number {
  let used = 0;
  const over = rows.findIndex((row) => {
    used += sizeOf(row) + 1;
    return used > budget;
  });
  return over < 0 ? rows.length : Math.max(1, over);
}

interface Place {
  readonly holder: Json | unknown[];
  readonly key: string | number;
  readonly path: string;
  readonly size: number;
}

type Kind = 'list' | 'text';

function largestIn(value: unknown, path: string, kinds: readonly Kind[], found: Place[]): void {
  if (value === null || typeof value !== 'object') return;
  for (const [key, member] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const isLong = Array.isArray(member)
      ? member.length > 1 && kinds.includes('list')
      : typeof member === 'string' && member.length > 200 && kinds.includes('text');
    if (isLong)
      found.push({
        holder: value as Json,
        key,
        path: at.replaceAll(/\.\d+(?=\.|$)/g, '[]'),
        size: sizeOf(member),
      });
    if (!Array.isArray(member) || member.some((item) => typeof item === 'object'))
      largestIn(member, at, kinds, found);
  }
}

/** For answers that are no list: shortens the longest arrays and texts in it, which keep their last part. */
export function shorten<T>(
  given: T,
  budget = BUDGET,
  kinds: readonly Kind[] = ['list', 'text'],
): Narrowed<T> {
  const value = structuredClone(given);
  const left = new Map<string, string>();
  for (let size = sizeOf(value); size > budget; size = sizeOf(value)) {
    const places: Place[] = [];
    largestIn(value, '', kinds, places);
    const [largest] = places.sort((a, b) => b.size - a.size);
    if (largest === undefined) break;
    const { holder, key, path } = largest;
    const member = (holder as Json)[key] as string | unknown[];
    const keep = Math.max(1, Math.floor(member.length / 2));
    (holder as Json)[key] = member.slice(-keep);
    left.set(path, `${path}: only the last part`);
  }
  return { value, left: [...left.values()] };
}
