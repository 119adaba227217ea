/** Leaves out of the schemas what the document says elsewhere. */
import type { JsonSchema, OpenApiDocument } from './model.ts';
import { schemaReference } from './schemas.ts';
import { reach } from './subset.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

const CLOSED = ['additionalProperties', 'unevaluatedProperties'];

/** Answers may get new members, so their schemas are open. Requests with unknown members are refused. */
function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([keyword, part]) => !(CLOSED.includes(keyword) && part === false))
      .map(([keyword, part]) => [keyword, keyword === 'example' ? part : open(part)]),
  );
}

/** The key of a component is its name already. */
function withoutTitle(name: string, schema: JsonSchema): JsonSchema {
  const { title, ...rest } = schema;
  return title === name ? rest : schema;
}

/** With fewer members, a reference to the other schema is longer than the members. */
const FEWEST_SHARED = 4;

const membersOf = (schema: JsonSchema): Record<string, unknown> =>
  (schema['properties'] ?? {}) as Record<string, unknown>;
const requiredOf = (schema: JsonSchema): readonly string[] => (schema['required'] ?? []) as readonly string[];

/** Whether `whole` has all members of `part` in the same form, and more of its own. */
function contains(whole: JsonSchema, part: JsonSchema): boolean {
  const own = membersOf(whole);
  const members = Object.entries(membersOf(part));
  const keywords = Object.keys(part).filter((keyword) => keyword !== 'description');
  return (
    keywords.every((keyword) => ['type', 'properties', 'required'].includes(keyword)) &&
    members.length >= FEWEST_SHARED &&
    members.length < Object.keys(own).length &&
    members.every(([name, member]) => JSON.stringify(own[name]) === JSON.stringify(member)) &&
    Object.keys(membersOf(part)).every(
      (name) => requiredOf(whole).includes(name) === requiredOf(part).includes(name),
    )
  );
}

/** A schema that has all members of another one refers to it and lists only its own members. */
function extend(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const [base] = Object.entries(schemas)
    .filter(([, part]) => contains(schema, part))
    .sort(([, a], [, b]) => Object.keys(membersOf(b)).length - Object.keys(membersOf(a)).length);
  if (base === undefined) return schema;
  const [name, part] = base;
  const isOwn = (member: string): boolean => !Object.hasOwn(membersOf(part), member);
  return {
    ...schema,
    allOf: [schemaReference(name)],
    required: requiredOf(schema).filter(isOwn),
    properties: Object.fromEntries(Object.entries(membersOf(schema)).filter(([member]) => isOwn(member))),
  };
}

const valuesOf = (schema: JsonSchema): readonly unknown[] => (schema['enum'] ?? []) as readonly unknown[];

/** The values with their meanings, if all values have one. */
function meaningsOf(schema: JsonSchema): Map<unknown, string> {
  const meanings = (schema['x-enum-descriptions'] ?? []) as readonly string[];
  return new Map(valuesOf(schema).flatMap((value, i) => (meanings[i] ? [[value, meanings[i]]] : [])));
}

/** An enumeration that lacks some values of another one refers to it and names only these. */
function narrow(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const own = meaningsOf(schema);
  const base = Object.entries(schemas).find(([, other]) => {
    const all = meaningsOf(other);
    return own.size > 0 && all.size > own.size && [...own].every(([value, text]) => all.get(value) === text);
  });
  if (base === undefined) return schema;
  const [name, whole] = base;
  return {
    allOf: [schemaReference(name)],
    not: { enum: valuesOf(whole).filter((value) => !own.has(value)) },
    ...(schema['description'] === undefined ? {} : { description: schema['description'] }),
  };
}

export function compact(document: OpenApiDocument): OpenApiDocument {
  const { paths, components } = document;
  const bodies = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .map(({ requestBody, parameters }) => [requestBody, parameters]);
  const sent = reach(bodies, { ...components });
  const isAnswer = (name: string): boolean => !sent.has(`#/components/schemas/${name}`);
  const plain = Object.fromEntries(
    Object.entries(components.schemas)
      .map(([name, schema]) => [name, withoutTitle(name, schema)] as const)
      .map(([name, schema]) => [name, isAnswer(name) ? (open(schema) as JsonSchema) : schema]),
  );
  const answers = Object.fromEntries(Object.entries(plain).filter(([name]) => isAnswer(name)));
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([verb, operation]) => [
            verb,
            { ...operation, responses: open(operation.responses) as typeof operation.responses },
          ]),
        ),
      ]),
    ),
    components: {
      ...components,
      schemas: Object.fromEntries(
        Object.entries(plain).map(([name, schema]) => [
          name,
          isAnswer(name) ? extend(narrow(schema, plain), answers) : narrow(schema, plain),
        ]),
      ),
      responses: open(components.responses) as typeof components.responses,
    },
  };
}
