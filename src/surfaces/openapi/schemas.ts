/** Collects named schemas, so that the document contains each of them once and refers to it everywhere else. */
import { ADDRESS_PURPOSE } from '../../kernel/chosen-addresses.ts';
import { ANNOTATIONS, COMPONENT, ENDS_WITH, WRITTEN_BY } from '../../kernel/schema.ts';
import type { MemberMarks } from './member-marks.ts';
import type { JsonSchema, Reference } from './model.ts';

const COMPONENT_NAME = /^[A-Z]\w*$/;
const ONE = ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const BY_NAME = ['dependentSchemas', 'patternProperties', 'properties'];

export class NamedSchemas {
  readonly #seen = new WeakMap<object, JsonSchema>();
  readonly #written = new Map<string, JsonSchema>();
  readonly #marks: MemberMarks;

  constructor(marks: MemberMarks = new Map()) {
    this.#marks = marks;
  }

  /** Returns the schema for the document: a reference if the schema has a name. */
  write(schema: object): JsonSchema {
    const known = this.#seen.get(schema) ?? this.#name(this.#writeBody(schema as JsonSchema));
    this.#seen.set(schema, known);
    return known;
  }

  /** Describes `schema` by `shown`, which has a name and says more about the same values. */
  describeAs(schema: object, shown: object): void {
    this.#seen.set(schema, this.write(shown));
  }

  #name(whole: JsonSchema): JsonSchema {
    const { title } = whole;
    if (typeof title !== 'string' || !COMPONENT_NAME.test(title)) return whole;
    const { written, use } = split(whole);
    const known = this.#written.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written)) {
      throw new Error(
        `Two different shapes are called "${title}": give one of them another name, or use the same shape in both places.`,
      );
    }
    this.#written.set(title, written);
    return { ...schemaReference(title), ...use };
  }

  list(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #writeBody(schema: JsonSchema): JsonSchema {
    const { [WRITTEN_BY]: _, [ENDS_WITH]: __, [ADDRESS_PURPOSE]: ___, ...published } = asPrefixItems(schema);
    const entries = Object.entries(published).map(([keyword, value]): [string, unknown] => {
      if (ONE.includes(keyword)) return [keyword, this.#writeOne(value)];
      if (MANY.includes(keyword)) return [keyword, (value as unknown[]).map((part) => this.#writeOne(part))];
      if (BY_NAME.includes(keyword)) return [keyword, this.#writeMembers(value as object)];
      return [keyword, value];
    });
    return Object.fromEntries(entries);
  }

  #writeOne(schema: unknown): unknown {
    return schema !== null && typeof schema === 'object' ? this.write(schema) : schema;
  }

  #writeMembers(members: object): object {
    const marks = this.#marks.get(members);
    return Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        Object.assign({}, this.#writeOne(member), marks?.[name]),
      ]),
    );
  }
}

/** Separates the named schema from what one use of it says: a reference may have its own description. */
function split({ [COMPONENT]: own, ...whole }: JsonSchema): { written: JsonSchema; use: JsonSchema } {
  if (own === undefined) return { written: whole, use: {} };
  const declared = own as JsonSchema;
  const isAnnotation = ([name]: [string, unknown]): boolean => ANNOTATIONS.some((known) => known === name);
  const members = Object.entries(whole);
  return {
    written: { ...Object.fromEntries(members.filter((member) => !isAnnotation(member))), ...declared },
    use: Object.fromEntries(
      members.filter(
        (member) => isAnnotation(member) && JSON.stringify(declared[member[0]]) !== JSON.stringify(member[1]),
      ),
    ),
  };
}

/** Converts tuples: TypeBox writes them as in older JSON Schema drafts, OpenAPI 3.1 uses draft 2020-12. */
function asPrefixItems(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema['items'])) return schema;
  const { items, additionalItems = true, ...rest } = schema;
  return { ...rest, prefixItems: items, items: additionalItems };
}

export function schemaReference(title: string): Reference {
  return { $ref: `#/components/schemas/${title}` };
}

export function hasMember(schema: unknown, name: string): boolean {
  const { properties } = (schema ?? {}) as { properties?: object };
  return properties !== undefined && Object.hasOwn(properties, name);
}
