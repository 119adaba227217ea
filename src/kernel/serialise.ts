/** Answers leave through their schema: a member nobody declared stays inside, whatever the handler returned. */
import type { TSchema } from './schema.ts';
import { isValid } from './validation.ts';

/** Hidden ones are gone; masked ones show that something was there. */
type Secrets = 'show' | 'hide' | 'mask';

type Keep = (value: unknown) => unknown;

interface PlainSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly additionalProperties?: boolean | PlainSchema;
  readonly patternProperties?: Readonly<Record<string, PlainSchema>>;
  readonly items?: PlainSchema;
  readonly anyOf?: readonly PlainSchema[];
  readonly 'x-secret'?: boolean;
}

const asIs: Keep = (value) => value;

/** Names come from callers here: `__proto__` is a label like any other. */
function put(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function keepObject(schema: PlainSchema, secrets: Secrets): Keep {
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, keep(member, secrets)] as const,
  );
  // A map is written as additionalProperties by us and as one pattern by Type.Record.
  const [pattern] = Object.values(schema.patternProperties ?? {});
  const rest = pattern ?? schema.additionalProperties;
  const others = typeof rest === 'object' ? keep(rest, secrets) : rest === true ? asIs : null;
  if (members.length === 0 && schema.additionalProperties !== false && others === null) return asIs;
  return (value) => {
    if (value === null || typeof value !== 'object') return value;
    const source = value as Record<string, unknown>;
    const kept: Record<string, unknown> = {};
    for (const [name, member] of members) {
      const given = source[name];
      if (given !== undefined) kept[name] = member(given);
    }
    if (others !== null) {
      for (const name of Object.keys(source)) {
        if (!Object.hasOwn(kept, name)) put(kept, name, others(source[name]));
      }
    }
    return kept;
  };
}

function keepUnion(branches: readonly PlainSchema[], secrets: Secrets): Keep {
  const shaped = branches
    .filter((branch) => branch.type !== 'null')
    .map((branch) => [branch, keep(branch, secrets)] as const);
  const only = shaped.length === 1 ? shaped[0]?.[1] : undefined;
  if (only !== undefined) return (value) => (value === null ? null : only(value));
  return (value) => shaped.find(([branch]) => isValid(branch as TSchema, value))?.[1](value) ?? null;
}

function keep(schema: PlainSchema, secrets: Secrets): Keep {
  if (secrets !== 'show' && schema['x-secret']) return () => (secrets === 'hide' ? null : '***');
  if (schema.anyOf) return keepUnion(schema.anyOf, secrets);
  if (schema.type === 'object') return keepObject(schema, secrets);
  if (schema.type === 'array' && schema.items) {
    const item = keep(schema.items, secrets);
    return item === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  return asIs;
}

function lazily(make: (schema: TSchema) => Keep): (schema: TSchema) => Keep {
  const made = new WeakMap<TSchema, Keep>();
  return (schema) => {
    const known = made.get(schema) ?? make(schema);
    made.set(schema, known);
    return known;
  };
}

const shown = lazily((schema) => keep(schema as PlainSchema, 'show'));
const hidden = lazily((schema) => keep(schema as PlainSchema, 'hide'));
const masked = lazily((schema) => keep(schema as PlainSchema, 'mask'));

export function serialise(schema: TSchema, value: unknown): string {
  return JSON.stringify(shown(schema)(value));
}

/** The same answer for a second telling: its secrets are null, and it says so. */
export function serialiseWithoutSecrets(schema: TSchema, value: unknown): string {
  const kept = hidden(schema)(value);
  return JSON.stringify(hasSecret(schema) ? { ...(kept as object), secret_returned_before: true } : kept);
}

/** What a caller sent, as others may see it. */
export function maskSecrets(schema: TSchema, value: unknown): unknown {
  return masked(schema)(value);
}

export function hasSecret(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false;
  if ((schema as PlainSchema)['x-secret'] === true) return true;
  return Object.values(schema).some(hasSecret);
}
