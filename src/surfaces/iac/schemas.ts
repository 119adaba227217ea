/** Schemas of the document with their references followed. */
import type { JsonSchema } from '../openapi/model.ts';
import type { Resolver } from '../openapi/resolved.ts';

export type ReadAs = string | { readonly present: string } | { readonly sha256: string };

/** Where the valid values of a member are; `docs/specification.md` explains each part. */
export interface Choices {
  readonly list: string;
  readonly value: string;
  readonly in?: string;
  readonly except?: readonly unknown[];
  readonly filters?: Readonly<
    Record<string, { readonly equals?: unknown; readonly from?: string | string[] }>
  >;
}

export interface When {
  readonly member: string;
  readonly is?: readonly unknown[];
  readonly sent?: boolean;
}

/** A schema without references; the marks of a member and of its component are together. */
export interface Plain {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly propertyNames?: { readonly pattern?: string };
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly additionalProperties?: boolean | Plain;
  readonly items?: Plain;
  readonly oneOf?: readonly Plain[];
  readonly discriminator?: { readonly propertyName: string };
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  /** It can be null. */
  readonly nullable?: boolean;
  readonly 'x-immutable'?: boolean;
  readonly 'x-volatile'?: boolean;
  readonly 'x-secret'?: boolean;
  readonly 'x-advanced'?: boolean;
  readonly 'x-label'?: string;
  readonly 'x-unit'?: string;
  readonly 'x-enum-descriptions'?: readonly string[];
  readonly 'x-changed-by'?: Readonly<Record<string, string>>;
  readonly 'x-read-as'?: ReadAs;
  readonly 'x-ref'?: Choices;
  readonly 'x-when'?: When;
}

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** Of `anyOf: [X, null]`, X; of `allOf`, all parts in one. */
function flat(schema: JsonSchema, resolver: Resolver): JsonSchema {
  const { anyOf, allOf, ...own } = resolver.schema(schema) as JsonSchema & {
    anyOf?: readonly JsonSchema[];
    allOf?: readonly JsonSchema[];
  };
  if (allOf !== undefined) {
    const parts = allOf.map((part) => flat(part, resolver));
    const properties = Object.assign({}, ...parts.map((part) => part['properties']), own['properties']);
    const hasMembers = Object.keys(properties).length > 0;
    return Object.assign({}, ...parts, own, hasMembers ? { properties } : {});
  }
  const [other, ...more] = (anyOf ?? []).filter((branch) => !isNull(branch));
  if (anyOf === undefined || other === undefined || more.length > 0)
    return { ...own, ...(anyOf && { anyOf }) };
  return { ...flat(other, resolver), ...own, nullable: anyOf.length > 1 };
}

/** The schema without references. */
export function plainOf(schema: JsonSchema, resolver: Resolver): Plain {
  const { type, properties, items, oneOf, additionalProperties, ...rest } = flat(
    schema,
    resolver,
  ) as JsonSchema & {
    type?: string | readonly string[];
    properties?: Readonly<Record<string, JsonSchema>>;
    items?: JsonSchema;
    oneOf?: readonly JsonSchema[];
    additionalProperties?: boolean | JsonSchema;
  };
  const types = [type ?? []].flat();
  const [only = 'object'] = types.filter((each) => each !== 'null');
  return {
    ...rest,
    ...(type === undefined ? {} : { type: only }),
    ...(types.includes('null') ? { nullable: true } : {}),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, plainOf(member, resolver)]),
      ),
    }),
    ...(items && { items: plainOf(items, resolver) }),
    ...(oneOf && { oneOf: oneOf.map((branch) => plainOf(branch, resolver)) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object'
              ? plainOf(additionalProperties, resolver)
              : additionalProperties,
        }),
  } as Plain;
}

export const membersOf = ({ properties = {} }: Plain): Readonly<Record<string, Plain>> => properties;
