import { canonicalJson } from './canonical-json.ts';
import type { AuditChange } from './entry.ts';

/** Dates are compared by their ISO text: a Date has no own properties, so canonical JSON would make all dates equal. */
const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : canonicalJson(value);

const namesOf = <T extends object>(values: Readonly<Partial<T>>) =>
  Object.keys(values) as unknown as readonly (keyof T & string)[];

/**
 * Returns the members that differ, in the form of an audit entry; all members if `before` is null. Compares the members
 * of `after`, or only those in `members`.
 */
export function changesBetween<T extends object>(
  before: Readonly<Partial<T>> | null,
  after: Readonly<Partial<T>>,
  members: readonly (keyof T & string)[] = namesOf<T>(after),
): AuditChange[] {
  return members
    .filter((name) => before === null || textOf(before[name]) !== textOf(after[name]))
    .map((name) => ({ pointer: `/${name}`, before: before?.[name] ?? null, after: after[name] ?? null }));
}
