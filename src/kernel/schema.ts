/**
 * The schema builders for every shape of the API: TypeBox, plus shared types such as ids, names and decimals. Shapes
 * are plain JSON Schema, so the validator, the serialiser and the OpenAPI document all read the same object.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

export { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type };

/** An object that refuses unknown members, so that a member without effect is never accepted. */
export function Shape<P extends TProperties>(properties: P, options: object = {}): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A named schema becomes a component of the OpenAPI document. Each name may be used for one schema only. */
export function Named<T extends TSchema>(title: string, schema: T): T {
  return { ...schema, title };
}

/** In answers, "not set" is `null`; members are never absent. */
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

/** Marks a value that is shown once, never logged and never replayed. All redaction code checks this mark. */
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

/** Money and other exact quantities are decimal strings, because a binary float cannot hold 0.1. */
export const Decimal: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: '^-?\\d+(\\.\\d+)?$',
});

const SLUG = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$';
const NAME = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

/** Says in words what a pattern of this file asks for; undefined for other patterns. */
export function meaningOf(pattern: string): string | undefined {
  const prefix = /^\^([a-z]+_)\[0-7\]/.exec(pattern)?.[1];
  if (prefix !== undefined) return `Must be an id that starts with ${prefix}.`;
  const more = { [SLUG]: ', dots', [NAME]: '' }[pattern];
  if (more === undefined) return undefined;
  return `Use lower-case letters, digits${more} and hyphens, with a letter or a digit at both ends.`;
}

export const Slug: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: SLUG,
  maxLength: 63,
});

export const ResourceName: TUnsafe<string> = Type.Unsafe<string>({
  type: 'string',
  pattern: NAME,
  minLength: 1,
  maxLength: 63,
});

export const MOST_LABELS = 32;

export const Labels = Named(
  'Labels',
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: MOST_LABELS,
    propertyNames: { pattern: '^[a-z0-9._/-]{1,63}$' },
    additionalProperties: { type: 'string', maxLength: 63 },
  }),
);

/** Labels in a PATCH body: a merge patch of the present labels. */
export const LabelsPatch = Named(
  'LabelsPatch',
  Type.Unsafe<Record<string, string | null>>({
    type: 'object',
    description:
      'A merge patch of the present labels: a label you name is set, a label with the value null is removed, all others stay.',
    propertyNames: { pattern: '^[a-z0-9._/-]{1,63}$' },
    additionalProperties: { type: ['string', 'null'], maxLength: 63 },
  }),
);

export const Price = Named(
  'ResourcePrice',
  Shape({ hourly: Decimal, monthly: Decimal, currency: Type.String() }),
);
