/** Reads JSON schemas of the OpenAPI document: references, null, shared members and alternatives. */

/** How a list gives the values of a member (`x-ref`). docs/specification.md explains it. */
export interface Reference {
  readonly list: string;
  readonly value: string;
  readonly label: string;
  readonly except?: readonly string[];
  readonly filters?: Readonly<
    Record<string, { readonly equals?: string; readonly from?: string | readonly string[] }>
  >;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping?: Readonly<Record<string, string>>;
  };
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly 'x-ref'?: Reference;
  /** The member matters only in a certain case. docs/specification.md explains it. */
  readonly 'x-when'?: { readonly member: string; readonly is?: readonly unknown[]; readonly sent?: boolean };
  readonly 'x-unit'?: string;
  readonly 'x-label'?: string;
  readonly 'x-advanced'?: boolean;
  readonly 'x-secret'?: boolean;
  readonly 'x-column'?: number;
  readonly 'x-enum-descriptions'?: readonly string[];
  readonly 'x-event-type'?: boolean;
  readonly 'x-extensible-enum'?: readonly unknown[];
}

/** Alternatives of which one member decides, with the schema for each of its values. */
export interface Variants {
  readonly by: string;
  readonly alternatives: ReadonlyMap<string, Schema>;
}

/** A document may be newer than this program and refer in circles; deeper schemas are read as any JSON value. */
const DEEPEST = 24;

export class Schemas {
  readonly #document: object;

  constructor(document: object) {
    this.#document = document;
  }

  /** What a `$ref` or a discriminator points to; an empty object if there is nothing. */
  at<T extends object>(reference: string): T {
    let found: unknown = this.#document;
    for (const part of reference.replace(/^#\//, '').split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = (found as Record<string, unknown> | undefined)?.[name];
    }
    return (found ?? {}) as T;
  }

  /** Follows references of any part of the document. Members beside a reference take precedence. */
  resolve<T extends { readonly $ref?: string }>(part: T, depth = 0): T {
    if (part.$ref === undefined || depth > DEEPEST) return part;
    const { $ref, ...rest } = part;
    return { ...this.resolve(this.at<T>($ref), depth + 1), ...rest } as T;
  }

  /** The schema with its references followed, without null, and with the members of `allOf` as its own. */
  plain(schema: Schema, depth = 0): Schema {
    const found = this.resolve(schema);
    if (depth > DEEPEST) return found;
    const branches = found.anyOf?.map((branch) => this.resolve(branch)).filter(({ type }) => type !== 'null');
    if (found.anyOf !== undefined && branches?.length === 1) {
      const { anyOf: _, ...rest } = found;
      return this.plain({ ...branches[0], ...rest }, depth + 1);
    }
    if (found.allOf !== undefined) {
      const { allOf, ...rest } = found;
      const parts = [...allOf.map((part) => this.plain(part, depth + 1)), rest];
      return {
        ...Object.assign({}, ...parts),
        properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
        required: parts.flatMap(({ required }) => required ?? []),
      };
    }
    if (Array.isArray(found.type)) {
      const types = found.type.filter((type) => type !== 'null');
      return { ...found, type: types.length === 1 ? types[0] : types };
    }
    return found;
  }

  /** Whether null is a value of it. */
  isNullable(schema: Schema, depth = 0): boolean {
    const { type, anyOf = [] } = this.resolve(schema);
    if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
    return depth < DEEPEST && anyOf.some((branch) => this.isNullable(branch, depth + 1));
  }

  variants(schema: Schema): Variants | undefined {
    const { oneOf, discriminator } = this.plain(schema);
    if (oneOf === undefined || discriminator?.mapping === undefined) return undefined;
    const alternatives = Object.entries(discriminator.mapping).map(
      ([value, $ref]) => [value, this.plain({ $ref })] as const,
    );
    return { by: discriminator.propertyName, alternatives: new Map(alternatives) };
  }

  /** The alternative that an object is; the schema itself if it has none, or the object does not say which. */
  alternative(schema: Schema, value: Readonly<Record<string, unknown>>): Schema {
    const variants = this.variants(schema);
    return variants?.alternatives.get(String(value[variants.by])) ?? schema;
  }

  /** The members of an object, those of all its alternatives included. */
  members(schema: Schema): Readonly<Record<string, Schema>> {
    const variants = this.variants(schema);
    if (variants === undefined) return this.plain(schema).properties ?? {};
    return Object.assign(
      {},
      ...[...variants.alternatives.values()].map(({ properties }) => properties),
    ) as Record<string, Schema>;
  }
}
