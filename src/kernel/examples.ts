/**
 * Derives examples from schemas, so that a resource says only what its example has of its own. Kinds of members that
 * many resources share have one example here; `eg` gives a member its own.
 */
import type { Static, TObject, TSchema } from './schema.ts';

const EXAMPLE = Symbol('example');

/** An option of a schema: the value that examples show. It is not published with the schema. */
export const eg = <V>(value: V) => ({ [EXAMPLE]: value });

const MOMENT = '2026-03-01T10:00:00.000Z';

/** By the name of the schema. */
const shared: Readonly<Record<string, unknown>> = {
  Description: '',
  Labels: { env: 'prod' },
  Etag: 'q3w2c9T1hVb7Zk0m',
  CreatedAt: MOMENT,
  ProvisionedAt: '2026-03-01T10:00:05.000Z',
  UpdatedAt: MOMENT,
};

export const exampleId = (prefix: string): string => `${prefix}_01jqzv2m7xe9rs5d3k8w4t6y0b`;

interface Plain {
  readonly [EXAMPLE]?: unknown;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Plain[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly required?: readonly string[];
  readonly 'x-states'?: { readonly transient: readonly unknown[] };
}

const isNullable = ({ type, anyOf = [] }: Plain): boolean =>
  (Array.isArray(type) && type.includes('null')) || anyOf.some((branch) => branch.type === 'null');

/** Undefined if there is no obvious example for such a member. */
function obviousValue(schema: Plain): unknown {
  if (EXAMPLE in schema) return schema[EXAMPLE];
  const { title = '', enum: values, pattern = '', format, type } = schema;
  if (title in shared) return shared[title];
  if (isNullable(schema)) return null;
  // Of a status, the first that lasts: a resource that works.
  if (values !== undefined) return values.find((value) => !schema['x-states']?.transient.includes(value));
  const prefix = /^\^([a-z]+)_\[0-7\]/.exec(pattern)?.[1];
  if (prefix !== undefined) return exampleId(prefix);
  if (format === 'date-time') return MOMENT;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return schema.properties === undefined ? undefined : membersOf(schema, {});
}

function membersOf({ title, properties = {}, required = [] }: Plain, given: object): object {
  const own = given as Readonly<Record<string, unknown>>;
  const shown = Object.entries(properties).filter(([name]) => name in own || required.includes(name));
  return Object.fromEntries(
    shown.map(([name, member]) => {
      const value = name in own ? own[name] : obviousValue(member);
      if (value === undefined) throw new Error(`The example of ${title ?? 'a shape'} needs ${name}.`);
      return [name, value];
    }),
  );
}

/** The members in `own` are shown as they are. Throws at start if a member has no example. */
export function exampleOf<S extends TObject>(schema: S, own: Partial<Static<S>> = {}): Static<S> {
  return membersOf(schema as TSchema as Plain, own) as Static<S>;
}
