/**
 * Objects with alternatives: one member, such as `type`, decides which other members the object has. The schema is
 * published as `oneOf` with a `discriminator`; the checks of a request choose the alternative by that member, so a
 * refusal is about the alternative that the caller meant.
 */
import {
  Named,
  Shape,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from './schema.ts';

interface Alternative {
  /** What this value of the deciding member means. */
  readonly means: string;
  readonly members: TProperties;
}

type ValueOf<By extends string, A extends Readonly<Record<string, Alternative>>> = {
  [K in keyof A & string]: { [P in By]: K } & Static<TObject<A[K]['members']>>;
}[keyof A & string];

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/**
 * `title` and the value name the component of each alternative: `VmSource` and `image` give `VmSourceImage`. `marks` are
 * for the deciding member.
 */
export function Variants<By extends string, const A extends Readonly<Record<string, Alternative>>>(
  title: string,
  by: By,
  alternatives: A,
  options: object = {},
  marks: object = {},
): TUnsafe<ValueOf<By, A>> {
  const nameOf = (value: string): string => `${title}${capital(value)}`;
  const entries = Object.entries(alternatives);
  return Type.Unsafe<ValueOf<By, A>>({
    oneOf: entries.map(([value, { means, members }]) =>
      Named(
        nameOf(value),
        Shape({
          [by]: Type.Unsafe<string>({ type: 'string', const: value, ...marks, description: means }),
          ...members,
        }),
      ),
    ),
    discriminator: {
      propertyName: by,
      mapping: Object.fromEntries(entries.map(([value]) => [value, `#/components/schemas/${nameOf(value)}`])),
    },
    ...options,
  });
}

interface Plain {
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly items?: Plain;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** The deciding member of a schema that only asks for a valid choice. */
  readonly choice?: string;
  readonly oneOf?: readonly Plain[];
  readonly discriminator?: { readonly propertyName: string };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The values of the deciding member, in the order of the alternatives; undefined for all other schemas. */
export function variantsOf(
  schema: object,
): { by: string; alternatives: ReadonlyMap<string, object> } | undefined {
  const { oneOf, discriminator } = schema as Plain;
  if (oneOf === undefined || discriminator === undefined) return undefined;
  const by = discriminator.propertyName;
  return { by, alternatives: new Map(oneOf.map((each) => [String(each.properties?.[by]?.const), each])) };
}

/** The alternative that the value chooses. If it chooses none, a schema that only asks for a valid choice. */
export function alternativeOf<S extends object>(schema: S, value: unknown): S {
  const variants = variantsOf(schema);
  if (variants === undefined) return schema;
  const { by, alternatives } = variants;
  const choice = isObject(value) && Object.hasOwn(value, by) ? value[by] : undefined;
  const chosen = typeof choice === 'string' ? alternatives.get(choice) : undefined;
  const open = {
    type: 'object',
    required: [by],
    properties: { [by]: { type: 'string', enum: [...alternatives.keys()] } },
    choice: by,
  };
  return (chosen ?? open) as S;
}

/** The deciding member and its values, if the schema is the one that `alternativeOf` gives for no valid choice. */
export function choiceIn(schema: object): { by: string; values: readonly unknown[] } | undefined {
  const { properties, choice: by } = schema as Plain;
  return by === undefined ? undefined : { by, values: properties?.[by]?.enum ?? [] };
}

const unions = new WeakMap<object, boolean>();

function hasVariants(schema: Plain): boolean {
  const known = unions.get(schema);
  if (known !== undefined) return known;
  const parts = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  const found = schema.discriminator !== undefined || parts.some(hasVariants);
  unions.set(schema, found);
  return found;
}

/** The same schema with the chosen alternative in the place of each union, so that errors are about that one only. */
export function narrowTo<S extends TSchema>(schema: S, value: unknown): S {
  return narrow(schema as Plain, value) as S;
}

function narrow(schema: Plain, value: unknown): Plain {
  if (!hasVariants(schema)) return schema;
  if (schema.discriminator !== undefined) return narrow(alternativeOf(schema, value), value);
  const { properties, items } = schema;
  return {
    ...schema,
    ...(properties !== undefined && isObject(value)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, narrow(member, value[name])]),
          ),
        }
      : {}),
    ...(items !== undefined && Array.isArray(value)
      ? { prefixItems: value.map((item) => narrow(items, item)) }
      : {}),
  };
}

/** Why the member at this path is required, if that depends on the chosen alternative. */
export function reasonFor(
  schema: object,
  value: unknown,
  [name, ...rest]: readonly string[],
): string | undefined {
  const variants = variantsOf(schema);
  const chosen = alternativeOf(schema as Plain, value);
  if (name === undefined) return undefined;
  if (rest.length === 0) {
    if (variants === undefined) return undefined;
    if (name === variants.by)
      return `This is required: one of ${[...variants.alternatives.keys()].join(', ')}.`;
    return `Required with the ${variants.by} ${chosen.properties?.[variants.by]?.const}.`;
  }
  const next =
    chosen.items ?? (Object.hasOwn(chosen.properties ?? {}, name) ? chosen.properties?.[name] : undefined);
  return next && reasonFor(next, (value as Readonly<Record<string, unknown>> | undefined)?.[name], rest);
}
