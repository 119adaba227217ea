/** What the document says about the rows of a list, or about one resource. */
import { type Described, describe, type Resolve, type Schema } from '../form/document.ts';

export interface Shape {
  readonly members: readonly (readonly [name: string, schema: Schema])[];
  readonly columns: readonly (readonly [name: string, schema: Schema])[];
  readonly resolve: Resolve;
}

const columnOf = (schema: Schema): number => Number(schema['x-column'] ?? 0);

export const membersOf = (schema: Schema, resolve: Resolve): readonly (readonly [string, Schema])[] =>
  Object.entries((resolve(schema)['properties'] ?? {}) as Readonly<Record<string, Schema>>).map(
    ([name, each]) => [name, resolve(each)] as const,
  );

export function shapeOf(schema: Schema, resolve: Resolve): Shape {
  const members = membersOf(schema, resolve);
  const columns = members
    .filter(([, each]) => columnOf(each) > 0)
    .sort(([, a], [, b]) => columnOf(a) - columnOf(b));
  return { members, columns, resolve };
}

const NOTHING: Shape = { members: [], columns: [], resolve: (schema) => schema };

/** The shape of what a call answers; with `list`, of the rows at this place in the answer. */
export function answerOf(document: Record<string, unknown>, id: string, list?: string): Shape {
  const described: Described | null = describe(document, id);
  if (described?.answer == null) return NOTHING;
  const { answer, resolve } = described;
  if (list === undefined) return shapeOf(answer, resolve);
  const rows = list
    .split('/')
    .slice(1)
    .reduce<Schema>((part, name) => {
      const { properties = {} } = resolve(part) as { properties?: Readonly<Record<string, Schema>> };
      return properties[name] ?? {};
    }, answer);
  return shapeOf((resolve(rows)['items'] ?? {}) as Schema, resolve);
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether everything that the schema requires has a value, also in the groups and items that are there. `known` is what
 * the form began with: the server has taken that before.
 */
export function isFilled(
  schema: Schema | null,
  body: Members,
  resolve: Resolve,
  known: Members = {},
): boolean {
  if (schema === null) return true;
  const isThere = (member: string): boolean => body[member] !== undefined && body[member] !== '';
  const isWhole = (given: Schema, value: unknown): boolean => {
    const found = resolve(given);
    if (Array.isArray(value)) return value.every((each) => isWhole((found['items'] ?? {}) as Schema, each));
    // Which alternative it is, only the form knows.
    return !isMembers(value) || found['oneOf'] !== undefined || isFilled(found, value, resolve);
  };
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  return (
    ((schema['required'] ?? []) as readonly string[]).every(isThere) &&
    Object.entries(properties).every(
      ([member, each]) => body[member] === known[member] || isWhole(each, body[member]),
    )
  );
}
