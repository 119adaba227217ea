/** Derives the flags of a request from its schema: one for each member, with dots for members of members. */
import type { Flag, FlagKind } from '../command.ts';
import type { Reference, Schema, Schemas } from '../document/schema.ts';

/** A flag that sets a member of the body. */
export interface MemberFlag extends Flag {
  readonly path: readonly string[];
  readonly schema: Schema;
}

const flagName = (path: readonly string[]): string => path.map((part) => part.replaceAll('_', '-')).join('.');

const kinds: Readonly<Record<string, FlagKind>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'switch',
};

/** Which kind of value the schema takes on a command line. Several types: any JSON value. */
export function kindOf(schemas: Schemas, schema: Schema): FlagKind {
  const plain = schemas.plain(schema);
  if (schemas.variants(plain) !== undefined) return 'object';
  if (typeof plain.additionalProperties === 'object' && plain.properties === undefined) return 'map';
  if (plain.properties !== undefined) return 'object';
  if (plain.const !== undefined || plain.enum !== undefined)
    return kinds[typeof (plain.const ?? plain.enum?.[0])] ?? 'text';
  if (plain.anyOf?.some((branch) => ['string', undefined].includes(schemas.plain(branch).type as string)))
    return 'text';
  return kinds[String(plain.type)] ?? 'json';
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function valuesOf(schema: Schema): Partial<Flag> {
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (values === undefined) return {};
  return {
    values: values.map(asText),
    ...(schema['x-enum-descriptions'] === undefined
      ? {}
      : { valueDescriptions: schema['x-enum-descriptions'] }),
    isOpen: schema.enum === undefined,
  };
}

const placeholders: Readonly<Record<FlagKind, string>> = {
  switch: '',
  text: '<text>',
  integer: '<number>',
  number: '<number>',
  json: '<json>',
  map: '<name=value>',
  object: '<name=value,…>',
};

function placeholderOf(kind: FlagKind, schema: Schema, reference: Reference | undefined): string {
  if (schema.enum !== undefined && kind !== 'switch') return `<${schema.enum.map(asText).join('|')}>`;
  if (reference !== undefined) return reference.value === 'id' ? '<id or name>' : `<${reference.value}>`;
  if (kind === 'text' && schema.format !== undefined) return `<${schema.format}>`;
  return placeholders[kind];
}

const membersText = (schemas: Schemas, schema: Schema): string =>
  `Members: ${Object.keys(schemas.members(schema)).join(', ')}.`;

/** A flag for a single member, parameter, or the items of a list. */
export function flagFor(schemas: Schemas, name: string, schema: Schema): Flag & { readonly schema: Schema } {
  const plain = schemas.plain(schema);
  const isList = plain.type === 'array' && plain.items !== undefined;
  const item = isList ? schemas.plain(plain.items ?? {}) : plain;
  const kind = kindOf(schemas, item);
  const reference = item['x-ref'];
  const hasDefault =
    plain.default !== undefined && !['{}', '[]', '""', 'null'].includes(JSON.stringify(plain.default));
  return {
    name,
    kind: isList && kind === 'switch' ? 'text' : kind,
    placeholder: placeholderOf(kind, item, reference),
    description: plain.description ?? '',
    ...(kind === 'object' ? { literal: membersText(schemas, item) } : {}),
    ...(isList || kind === 'map' ? { isRepeatable: true } : {}),
    ...(plain['x-advanced'] === true ? { isAdvanced: true } : {}),
    ...(kind === 'switch' ? {} : valuesOf(item)),
    default: hasDefault ? asText(plain.default) : undefined,
    reference,
    schema,
  };
}

export function memberFlags(schemas: Schemas, body: Schema, path: readonly string[] = []): MemberFlag[] {
  const plain = schemas.plain(body);
  const variants = schemas.variants(plain);
  const flags = new Map<string, MemberFlag>();
  const add = (flag: MemberFlag): void => {
    if (!flags.has(flag.name)) flags.set(flag.name, flag);
  };
  if (variants !== undefined) {
    const { by, alternatives } = variants;
    const values = [...alternatives.keys()];
    const meanings = values.map((value) => alternatives.get(value)?.properties?.[by]?.description ?? '');
    const inner = [...path, by];
    add({
      ...flagFor(schemas, flagName(inner), { type: 'string', enum: values, 'x-enum-descriptions': meanings }),
      description: `${plain.description ?? 'Which of the alternatives.'} Left out: the one that has the other flags you give.`,
      path: inner,
      schema: { type: 'string' },
    });
    for (const [value, alternative] of alternatives)
      for (const flag of memberFlags(schemas, withoutMember(alternative, by), path))
        add({ ...flag, isRequired: false, literal: `${flag.literal ?? ''} (${by} ${value})`.trimStart() });
    return [...flags.values()];
  }
  const required = new Set(path.length === 0 ? plain.required : []);
  for (const [name, member] of Object.entries(plain.properties ?? {})) {
    const inner = [...path, name];
    const whole = flagFor(schemas, flagName(inner), member);
    const isRequired = required.has(name);
    const hasParts = whole.kind === 'object' && whole.isRepeatable !== true;
    add({ ...whole, path: inner, isRequired: isRequired && !hasParts, isHidden: hasParts });
    if (!hasParts) continue;
    const isAdvanced = whole.isAdvanced === true;
    for (const flag of memberFlags(schemas, member, inner)) add(isAdvanced ? { ...flag, isAdvanced } : flag);
  }
  return [...flags.values()];
}

function withoutMember(schema: Schema, name: string): Schema {
  const { [name]: _, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}
