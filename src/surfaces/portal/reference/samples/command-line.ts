/** The call as a command of the command line, which `cli/` derives from the same document. */
import { builtInWords, kebab, type Named, type Words, wordsOf } from '../../../cli-package/command-words.ts';
import type { JsonSchema } from '../../../openapi/model.ts';
import { type Entry, entriesOf, type Resolver } from '../../../openapi/resolved.ts';
import { type Call, shellQuoted } from './call.ts';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const named = ({ id, path, operation }: Entry): Named => {
  const { name, role, parent } = operation['x-resource'];
  return { id, path, resource: name, role, parent: parent?.name };
};

/** The words of each command after `hostplane`; the family is left out where no other family has the resource. */
export function commandsOf(entries: readonly Entry[]): ReadonlyMap<string, readonly string[]> {
  const words = wordsOf(entries.map(named));
  const families = new Map<string, Set<string>>();
  for (const { resource, family } of words.values())
    families.set(resource, (families.get(resource) ?? new Set()).add(family));
  const command = ({ family, resource, verb }: Words): string[] =>
    families.get(resource)?.size === 1 && !builtInWords.has(resource)
      ? [resource, verb]
      : [family, resource, verb];
  return new Map([...words].map(([id, each]) => [id, command(each)]));
}

/** The alternative that the value has chosen, or the schema itself. */
function chosen(schema: JsonSchema, value: Members, resolver: Resolver): JsonSchema {
  const { discriminator } = schema;
  const alternatives = (schema['oneOf'] ?? schema['anyOf'] ?? []) as readonly JsonSchema[];
  const { propertyName = '' } = (discriminator ?? {}) as { readonly propertyName?: string };
  const fitting = alternatives
    .map((each) => resolver.whole(each))
    .find(({ properties }) => {
      const members = (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
      const decides = members[propertyName];
      return decides === undefined ? discriminator === undefined : decides['const'] === value[propertyName];
    });
  return schema['properties'] === undefined ? (fitting ?? schema) : schema;
}

/** One flag for each member, with dots for members of members; what has no such form is written as JSON. */
function flagsFor(name: string, value: unknown, schema: JsonSchema, resolver: Resolver): string[] {
  const flag = `--${name}`;
  if (value === true) return [flag];
  if (value === false) return [flag.replace(/^--/, '--no-')];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.flatMap((item) => [flag, item]);
  if (!isObject(value)) return [flag, typeof value === 'string' ? value : JSON.stringify(value)];
  const { properties } = chosen(schema, value, resolver);
  if (properties === undefined)
    return Object.entries(value).flatMap(([key, each]) => [flag, `${key}=${String(each)}`]);
  return memberFlags(value, properties as Readonly<Record<string, JsonSchema>>, resolver, `${name}.`);
}

/** `--body` is the whole body, so a member of this name has a longer flag. */
const flagName = (name: string): string => (name === 'body' ? 'with-body' : name);

const memberFlags = (
  value: Members,
  schemas: Readonly<Record<string, JsonSchema>>,
  resolver: Resolver,
  prefix = '',
): string[] =>
  Object.entries(value).flatMap(([member, each]) =>
    flagsFor(
      flagName(`${prefix}${member.replaceAll('_', '-')}`),
      each,
      resolver.whole(schemas[member] ?? {}),
      resolver,
    ),
  );

/** Null in an update and empty lists or objects have no flag of their own, so the whole body is written as JSON. */
const hasFlags = (value: unknown): boolean =>
  value !== null &&
  (typeof value !== 'object' || Object.keys(value).length > 0) &&
  (!isObject(value) || Object.values(value).every(hasFlags));

function bodyFlags(body: unknown, schema: JsonSchema, resolver: Resolver): string[] {
  if (!isObject(body)) return [];
  const { properties } = chosen(resolver.whole(schema), body, resolver);
  return properties !== undefined && Object.values(body).every(hasFlags)
    ? memberFlags(body, properties as Readonly<Record<string, JsonSchema>>, resolver)
    : ['--body', JSON.stringify(body)];
}

export function commandLine(entry: Entry, call: Call, words: readonly string[], resolver: Resolver): string {
  const { schema = {} } = entry.operation.requestBody?.content['application/json'] ?? {};
  const query = call.query.flatMap(([name, value]) => [`--${kebab(name)}`, value]);
  const lines: string[] = [['hostplane', ...words, ...call.path.map(shellQuoted)].join(' ')];
  // A flag and its value stay on one line.
  for (const part of [...query, ...bodyFlags(call.body, schema, resolver)].map(shellQuoted)) {
    if (part.startsWith('--')) lines.push(`  ${part}`);
    else lines.push(`${lines.pop()} ${part}`);
  }
  return lines.join(' \\\n');
}

export const commandWords = (resolver: Resolver): ReadonlyMap<string, readonly string[]> =>
  commandsOf(entriesOf(resolver.document));
