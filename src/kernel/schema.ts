/**
 * The words in which every shape of the API is written: TypeBox, plus the few things JSON Schema leaves
 * to taste. Shapes are plain JSON Schema, so the validator, the serialiser and the OpenAPI document all read
 * the same object.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

export { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type };

/** Refuses unknown members: what nobody reads must not look accepted. */
export function Shape<P extends TProperties>(properties: P, options: object = {}): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A shape with a name becomes a component of the OpenAPI document; a name stands for one shape only. */
export function Named<T extends TSchema>(title: string, schema: T): T {
  return { ...schema, title };
}

/** `null` is a value of the API ("not set"), absence is not: members of answers are always there. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const plain = schema as { type?: unknown; enum?: unknown[]; properties?: unknown; title?: string };
  const isScalar = typeof plain.type === 'string' && plain.type !== 'object' && plain.type !== 'array';
  if (isScalar && plain.title === undefined) {
    return Type.Unsafe({
      ...schema,
      type: [plain.type, 'null'],
      ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
    });
  }
  return Type.Unsafe({ anyOf: [schema, { type: 'null' }] });
}

export function OneOf<const V extends string>(values: readonly V[], options: object = {}): TUnsafe<V> {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], ...options });
}

/** Shown once, never logged, never replayed: everything that redacts looks for this mark. */
export function Secret<T extends TSchema>(schema: T): T {
  return { ...schema, 'x-secret': true };
}

export function Id(prefix: string, options: object = {}): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
    ...options,
  });
}

export const Time: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', format: 'date-time' });

/** Money and other exact quantities travel as decimal strings: a binary float cannot hold 0.1. */
export const Decimal: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^-?\\d+(\\.\\d+)?$',
});

export const Slug: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
  maxLength: 63,
});

export const ResourceName: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
  minLength: 1,
  maxLength: 63,
});

export const Labels = Named(
  'Labels',
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 32,
    propertyNames: { pattern: '^[a-z0-9._/-]{1,63}$' },
    additionalProperties: { type: 'string', maxLength: 63 },
  }),
);

export const Price = Named(
  'ResourcePrice',
  Shape({ hourly: Decimal, monthly: Decimal, currency: Type.String() }),
);
