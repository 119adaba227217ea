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

/** Whether everything that the schema requires has a value. */
export const isFilled = (schema: Schema | null, body: Readonly<Record<string, unknown>>): boolean =>
  ((schema?.['required'] ?? []) as readonly string[]).every(
    (member) => body[member] !== undefined && body[member] !== '',
  );
