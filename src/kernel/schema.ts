/**
 * The schema builders for every shape of the API: TypeBox, plus shared types such as ids, names and decimals. Shapes
 * are plain JSON Schema, so the validator, the serialiser and the OpenAPI document all read the same object.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import { written } from './text-patterns.ts';

export { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type };

/** An object that refuses unknown members, so that a member without effect is never accepted. */
export function Shape<P extends TProperties>(properties: P, options: object = {}): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** Keywords that say something about a member and not about its values. A use of a named schema may override them. */
export const ANNOTATIONS = [
  'description',
  'default',
  'readOnly',
  'writeOnly',
  'x-immutable',
  'x-read-as',
  'x-unit',
  'x-volatile',
  'x-label',
  'x-advanced',
  'x-when',
  'x-column',
  'x-ref',
] as const;

/** Keeps the annotations of a named schema beside those of its use; it is not published. */
export const COMPONENT = 'x-component';

const annotationsOf = (schema: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => ANNOTATIONS.some((known) => known === name)));

/**
 * A named schema becomes a component of the OpenAPI document. Each name may be used for one schema only. A member can
 * have its own description: `{ ...Labels, description: '…' }` is published as a reference with this description.
 */
export function Named<T extends TSchema>(
  title: string,
  schema: T,
  { columns = [] }: { readonly columns?: readonly (keyof Static<T> & string)[] } = {},
): T {
  return { ...withColumns(schema, columns), title, [COMPONENT]: annotationsOf(schema) };
}

/** Marks the members that a table of this resource shows, in this order. */
function withColumns<T extends TSchema>(schema: T, columns: readonly string[]): T {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, object>> };
  if (properties === undefined || columns.length === 0) return schema;
  const marked = Object.entries(properties).map(([name, member]): [string, object] => {
    const place = columns.indexOf(name);
    if (place < 0) return [name, member];
    // TypeBox keeps facts such as "optional" in members that a spread would lose.
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(member));
    return [name, Object.assign(copy, { 'x-column': place + 1 })];
  });
  return { ...schema, properties: Object.fromEntries(marked) };
}

/** Marks for forms, each defined in docs/specification.md. They are spread into the options of a member. */
export const advanced = { 'x-advanced': true } as const;

export const label = (text: string) => ({ 'x-label': text });

/** The member matters only if another member of the same object (or inside it: `source/type`) has such a value. */
export const when = (member: string, ...is: readonly (string | boolean)[]) => ({
  'x-when': { member, is },
});

/** The member matters only if another member of the same object is sent. */
export const whenSent = (member: string) => ({ 'x-when': { member, sent: true } });

/** The member is an alternative to another one: it matters only if that one is left out. */
export const unlessSent = (member: string) => ({ 'x-when': { member, sent: false } });

/** In answers, "not set" is `null`; members are never absent. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const plain = schema as Plain;
  const isScalar = typeof plain.type === 'string' && plain.type !== 'object' && plain.type !== 'array';
  if (isScalar && plain.title === undefined) {
    const meanings = plain[MEANINGS];
    return Type.Unsafe({
      ...schema,
      type: [plain.type, 'null'],
      ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
      ...(meanings ? { [MEANINGS]: [...meanings, 'No value.'] } : {}),
    });
  }
  // Annotations are about the member, so they stand beside the union. A named branch keeps those of its component.
  const own = plain[COMPONENT] ?? {};
  const isOfUse = ([name, value]: [string, unknown]): boolean =>
    name in annotationsOf(schema) && value !== own[name];
  const members = Object.entries(schema);
  const branch = { ...Object.fromEntries(members.filter((member) => !isOfUse(member))), ...own };
  return Type.Unsafe({
    anyOf: [branch, { type: 'null' }],
    ...Object.fromEntries(members.filter(isOfUse)),
  });
}

interface Plain {
  readonly type?: unknown;
  readonly enum?: unknown[];
  readonly title?: string;
  readonly [COMPONENT]?: Readonly<Record<string, unknown>>;
  readonly 'x-enum-descriptions'?: readonly string[];
}

const MEANINGS = 'x-enum-descriptions';

/** What each value of an enumeration means. */
export type Meanings<V extends string> = Readonly<Record<V, string>>;

export const keysOf = <V extends string>(meanings: Meanings<V>): readonly V[] => Object.keys(meanings) as V[];

/** With an object, its members are the values and say what each of them means. */
export function OneOf<const V extends string>(
  values: readonly V[] | Meanings<V>,
  options: object = {},
): TUnsafe<V> {
  return Array.isArray(values)
    ? Type.Unsafe<V>({ type: 'string', enum: [...values], ...options })
    : Type.Unsafe<V>({
        type: 'string',
        enum: Object.keys(values),
        [MEANINGS]: Object.values(values),
        ...options,
      });
}

/** Marks a value that is shown once, never logged and never replayed. All redaction code checks this mark. */
export function Secret<T extends TSchema>(schema: T): T {
  return { ...schema, 'x-secret': true };
}

/**
 * Who writes the text of a member, where the requests of the API do not say it. Not published: it tells surfaces such
 * as MCP which text is data of others. `others`: people in the portal, programs, strangers. `provider`: the values come
 * from the provider or from us, although another member with this name is free text, or although only the handler checks
 * them. `rule`: the caller chooses the value, but only a form without room for an order is accepted, such as a port range.
 * `catalogue`: the value stands in the provider's file or in our code as it is, and quotes nobody: the name of a price.
 */
export const WRITTEN_BY = 'x-written-by';
export const byOthers = { [WRITTEN_BY]: 'others' } as const;
export const byProvider = { [WRITTEN_BY]: 'provider' } as const;
export const byRule = { [WRITTEN_BY]: 'rule' } as const;
export const byCatalogue = { [WRITTEN_BY]: 'catalogue' } as const;

/** The text follows a rule, except that it ends with what another member of the same object shows: a key and its comment. */
export const ENDS_WITH = 'x-ends-with';
export const endsWith = (member: string) => ({ ...byRule, [ENDS_WITH]: member }) as const;

/** All ids with this prefix are one component, such as `VmId`. */
export function Id(prefix: string, options: object = {}): TUnsafe<string> {
  const title = `${prefix.charAt(0).toUpperCase()}${prefix.slice(1)}Id`;
  const pattern = `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
  const schema = Type.Unsafe<string>({ type: 'string', format: 'typeid', pattern });
  return { ...Named(title, schema), ...options };
}

/** The id of the resource that a shape shows. Members that name another resource have their own description. */
export const OwnId = (prefix: string): TUnsafe<string> =>
  Id(prefix, { description: 'Its id, which never changes.' });

/** The mark of members that change without a call of the customer. */
export const volatile = { 'x-volatile': true } as const;

export const Time: TUnsafe<string> = Type.Unsafe<string>({ type: 'string', format: 'date-time' });

export const CreatedAt = Named('CreatedAt', { ...Time, description: 'When it was created.' });

/** For resources that operations create. Set when the operation succeeds, see `provisions` of a kind. */
export const ProvisionedAt = Named(
  'ProvisionedAt',
  Nullable({
    ...Time,
    ...volatile,
    description:
      'When it first came into being. Null while it is being created and if that failed: then nothing usable exists, so delete or replace it. A later failure does not change it.',
  }),
);

export const UpdatedAt = Named('UpdatedAt', {
  ...Time,
  ...volatile,
  description: 'When it was last changed.',
});

export const Etag = Named(
  'Etag',
  Type.String({
    ...volatile,
    description:
      'The version of the resource. Sent in quotes as `If-Match`, it refuses a change of another version.',
  }),
);

const endsAlike = (more: string): string =>
  `Use lower-case letters, digits${more} and hyphens, with a letter or a digit at both ends.`;

/** Money and other exact quantities are decimal strings, because a binary float cannot hold 0.1. */
export const Decimal: TUnsafe<string> = Named(
  'Decimal',
  Type.Unsafe<string>({
    type: 'string',
    ...written('^-?\\d+(\\.\\d+)?$', 'Write a number with a point before the decimals, such as 12.50.'),
  }),
);

const SLUG = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$';
const NAME = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

export const Slug: TUnsafe<string> = Named(
  'Slug',
  Type.Unsafe<string>({ type: 'string', ...written(SLUG, endsAlike(', dots')), maxLength: 63 }),
);

export const ResourceName: TUnsafe<string> = Named(
  'ResourceName',
  Type.Unsafe<string>({
    type: 'string',
    ...written(NAME, endsAlike('')),
    minLength: 1,
    maxLength: 63,
    description:
      'A name that you choose: lower-case letters, digits and hyphens, unique for its type in the account.',
  }),
);

export const Description = Named(
  'Description',
  Type.String({ maxLength: 255, description: 'A text of your own about it. It has no effect.' }),
);

/** In a request that creates something. */
export const NewDescription = { ...Description, default: '' };

export const MOST_LABELS = 32;

const LabelName = written(
  '^[a-z0-9._/-]{1,63}$',
  'The name of a label has 1 to 63 lower-case letters, digits, dots, slashes, hyphens and underscores.',
);

export const Labels = Named(
  'Labels',
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    description: `Names and values of your own, at most ${MOST_LABELS}, for filters, budgets and cost reports.`,
    maxProperties: MOST_LABELS,
    propertyNames: LabelName,
    additionalProperties: { type: 'string', maxLength: 63 },
  }),
);

/** Labels in a PATCH body: a merge patch of the present labels. */
export const LabelsPatch = Named(
  'LabelsPatch',
  Type.Unsafe<Record<string, string | null> | null>({
    type: ['object', 'null'],
    description:
      'A merge patch of the present labels: a label you name is set, a label with the value null is removed, all others stay. Null removes all.',
    propertyNames: LabelName,
    additionalProperties: { type: ['string', 'null'], maxLength: 63 },
  }),
);

export const Currency = Named(
  'Currency',
  Type.String({ description: 'The currency of the amounts as an ISO 4217 code, such as `EUR`.' }),
);

export const HourlyPrice = Named('HourlyPrice', {
  ...Decimal,
  'x-unit': 'currency/hour',
  description: 'The price of an hour, net of tax. A month costs at most the monthly price.',
});

export const MonthlyPrice = Named('MonthlyPrice', {
  ...Decimal,
  'x-unit': 'currency/month',
  description: 'The price of a whole month, net of tax.',
});

export const Price = Named(
  'ResourcePrice',
  Shape(
    { hourly: HourlyPrice, monthly: MonthlyPrice, currency: Currency },
    { description: 'What it costs in its present form, net of tax.' },
  ),
);
