import { type AuditChange, canonicalJson } from './entry.ts';

/** Dates have no members of their own, so as JSON objects all of them would be equal. */
const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : canonicalJson(value);

const namesOf = <T extends object>(values: Readonly<Partial<T>>) =>
  Object.keys(values) as unknown as readonly (keyof T & string)[];

/**
 * The members that differ, as an audit entry lists them; all of them where there was nothing before. Compares the
 * members of `after` unless `members` names some of them.
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
