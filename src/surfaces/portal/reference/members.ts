/** Turns schemas into what a reader wants to know: names, types in words, limits, marks, and what is inside. */
import type { JsonSchema } from '../../openapi/model.ts';
import type { Resolver } from '../../openapi/resolved.ts';

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** Short facts beside the description, such as the default or when the member is used. */
  readonly marks: readonly string[];
  readonly values: readonly { readonly value: string; readonly meaning: string }[];
  readonly members: readonly Member[];
  /** For alternatives: what decides, and the members of each choice. */
  readonly choices: readonly {
    readonly title: string;
    readonly value: string;
    readonly members: readonly Member[];
  }[];
}

const MAX_DEPTH = 6;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function limits(schema: JsonSchema): string[] {
  const told: [string, (value: unknown) => string][] = [
    ['minLength', (value) => (Number(value) > 1 ? `≥ ${value} characters` : '')],
    ['maxLength', (value) => `≤ ${value} characters`],
    ['minimum', (value) => `≥ ${value}`],
    ['maximum', (value) => `≤ ${value}`],
    ['minItems', (value) => (Number(value) > 0 ? `≥ ${value} items` : '')],
    ['maxItems', (value) => `≤ ${value} items`],
    ['maxProperties', (value) => `≤ ${value} members`],
  ];
  return told
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, say]) => say(schema[keyword]))
    .filter((text) => text !== '');
}

function typeOf(schema: JsonSchema, resolver: Resolver): string {
  const { type, format, items, oneOf, anyOf, const: only, additionalProperties } = schema;
  if (only !== undefined) return asText(only);
  const several = (oneOf ?? anyOf) as readonly JsonSchema[] | undefined;
  if (schema['discriminator'] !== undefined) return 'object';
  if (several !== undefined)
    return [...new Set(several.map((each) => typeOf(resolver.whole(each), resolver)))].join(' or ');
  if (type === 'array' && items !== undefined)
    return `list of ${typeOf(resolver.whole(items as JsonSchema), resolver)}`;
  if (type === 'object' && typeof additionalProperties === 'object' && schema['properties'] === undefined)
    return `map of ${typeOf(resolver.whole(additionalProperties as JsonSchema), resolver)}`;
  const names = Array.isArray(type) ? type : [type ?? 'any'];
  const words = names
    .map((name: string) => (name === 'string' && format ? String(format) : name))
    .join(' or ');
  const unit = schema['x-unit'];
  return unit === undefined ? words : `${words} in ${String(unit)}`;
}

interface When {
  readonly member: string;
  readonly is?: readonly unknown[];
  readonly sent?: boolean;
}

function marksOf(schema: JsonSchema): string[] {
  const marks: string[] = [];
  const fallback = schema['default'];
  if (fallback === '') marks.push('Default: empty.');
  else if (fallback !== undefined) marks.push(`Default: \`${asText(fallback)}\`.`);
  const ref = schema['x-ref'] as { list: string; value: string } | undefined;
  if (ref) marks.push(`A \`${ref.value}\` of \`${ref.list}\`.`);
  const when = schema['x-when'] as When | undefined;
  if (when?.is)
    marks.push(
      `Only if \`${when.member}\` is ${when.is.map((value) => `\`${asText(value)}\``).join(' or ')}.`,
    );
  else if (when) marks.push(`Only ${when.sent ? 'with' : 'without'} \`${when.member}\`.`);
  const isSaid = /cannot be changed later/i.test(String(schema['description'] ?? ''));
  if (schema['x-immutable'] && !isSaid) marks.push('Cannot be changed later.');
  const changedBy = Object.keys((schema['x-changed-by'] as object | undefined) ?? {});
  if (changedBy.length > 0) marks.push(`Changed by ${changedBy.map((id) => `\`${id}\``).join(', ')}.`);
  if (schema['writeOnly']) marks.push('No answer shows it.');
  if (schema['x-sensitive']) marks.push('Secret.');
  return marks;
}

function valuesOf(schema: JsonSchema): Member['values'] {
  const values = schema['enum'] as readonly unknown[] | undefined;
  const meanings = (schema['x-enum-descriptions'] as readonly string[] | undefined) ?? [];
  return (values ?? []).map((value, i) => ({ value: asText(value), meaning: meanings[i] ?? '' }));
}

function inside(schema: JsonSchema, resolver: Resolver, depth: number): Pick<Member, 'members' | 'choices'> {
  if (depth > MAX_DEPTH) return { members: [], choices: [] };
  const { items, additionalProperties, discriminator } = schema;
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly JsonSchema[] | undefined;
  if (alternatives !== undefined && discriminator !== undefined) {
    const { propertyName } = discriminator as { propertyName: string };
    const choices = alternatives.map((each) => {
      const choice = resolver.whole(each);
      const members = membersOf(choice, resolver, depth + 1);
      const deciding = members.find(({ name }) => name === propertyName);
      // An alternative may stand for several values.
      const values = deciding?.values.map(({ value }) => value) ?? [];
      const [value = deciding?.type ?? ''] = values;
      return { title: `${propertyName}: ${[value, ...values.slice(1)].join(' or ')}`, value, members };
    });
    return { members: [], choices };
  }
  if (alternatives !== undefined) {
    const object = alternatives
      .map((each) => resolver.whole(each))
      .find((each) => each['properties'] !== undefined);
    return object === undefined ? { members: [], choices: [] } : inside(object, resolver, depth);
  }
  if (items !== undefined) return inside(resolver.whole(items as JsonSchema), resolver, depth);
  if (schema['properties'] !== undefined)
    return { members: membersOf(schema, resolver, depth + 1), choices: [] };
  if (typeof additionalProperties === 'object')
    return inside(resolver.whole(additionalProperties as JsonSchema), resolver, depth);
  return { members: [], choices: [] };
}

export function memberOf(
  name: string,
  unresolved: JsonSchema,
  isRequired: boolean,
  resolver: Resolver,
  depth = 0,
): Member {
  const schema = resolver.whole(unresolved);
  const item = schema['items'] === undefined ? schema : resolver.whole(schema['items'] as JsonSchema);
  return {
    name,
    type: [typeOf(schema, resolver), ...limits(schema)].join(', '),
    isRequired,
    description: String(schema['description'] ?? ''),
    marks: marksOf(schema),
    values: valuesOf(item),
    ...inside(schema, resolver, depth),
  };
}

export function membersOf(unresolved: JsonSchema, resolver: Resolver, depth = 0): Member[] {
  const schema = resolver.whole(unresolved);
  const required = new Set((schema['required'] as readonly string[] | undefined) ?? []);
  const properties = (schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined) ?? {};
  const members = Object.entries(properties).map(([name, each]) =>
    memberOf(name, each, required.has(name), resolver, depth),
  );
  return members.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** What an answer or a body consists of: the members of an object, or of the rows of a list. */
export function contentOf(schema: JsonSchema, resolver: Resolver): Pick<Member, 'members' | 'choices'> {
  return inside(resolver.whole(schema), resolver, 0);
}
