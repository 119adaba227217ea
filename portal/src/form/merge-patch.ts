/** What an update sends: a JSON merge patch (RFC 7396) from what was read to what a person made of it. */
import type { Resolve, Schema } from './document.ts';
import { isWanted, membersOf } from './when.ts';

type Obj = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, i) => isEqual(each, other[i]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isEqual(one[name], other[name]));
}

/** `schema` is that of the body of the update: its `x-when` says what is gone because another member was chosen. */
export function mergePatch(
  before: Obj,
  after: Obj,
  schema: Schema = {},
  resolve: Resolve = (same) => same,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name] ?? null];
    if (isEqual(was ?? null, is)) continue;
    const found = membersOf(schema)[name];
    const member = found === undefined ? {} : resolve(found);
    const isChosenAway = is === null && !isWanted(member, schema, after, resolve);
    if (isChosenAway && !member['nullable']) continue;
    patch[name] = isObject(was) && isObject(is) ? mergePatch(was, is, member, resolve) : is;
  }
  return patch;
}
