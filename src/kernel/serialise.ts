/** Serialises answers by their schema: members that the schema does not declare are dropped. */
import type { TSchema } from './schema.ts';
import { isValid } from './validation.ts';

/** `hide` replaces secrets by null, `mask` by `***`. */
type Secrets = 'show' | 'hide' | 'mask';

type Keep = (value: unknown) => unknown;

interface PlainSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly additionalProperties?: boolean | PlainSchema;
  readonly patternProperties?: Readonly<Record<string, PlainSchema>>;
  readonly items?: PlainSchema;
  readonly anyOf?: readonly PlainSchema[];
  readonly oneOf?: readonly PlainSchema[];
  readonly 'x-secret'?: boolean;
}

type Source = Record<string, unknown>;
type Member = readonly [name: string, keep: Keep];

const asIs: Keep = (value) => value;

/** Callers choose these names, so `__proto__` must become an ordinary member. */
function put(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function keepObject(schema: PlainSchema, secrets: Secrets): Keep {
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, keep(member, secrets)] as const,
  );
  // Our own schemas declare a map with additionalProperties; Type.Record declares it with one pattern.
  const [pattern] = Object.values(schema.patternProperties ?? {});
  const rest = pattern ?? schema.additionalProperties;
  const others = typeof rest === 'object' ? keep(rest, secrets) : rest === true ? asIs : null;
  const keepsAll = others === asIs || (others === null && schema.additionalProperties !== false);
  if (members.length === 0 && keepsAll) return asIs;
  const copy = (source: Source): Source => {
    const kept: Source = {};
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
  return (value) => {
    if (value === null || typeof value !== 'object') return value;
    const source = value as Source;
    return hasExactly(source, members) ? keepMembers(source, members) : copy(source);
  };
}

/** Whether the object has the declared members and no others, in the declared order. */
function hasExactly(source: Source, members: readonly Member[]): boolean {
  const names = Object.keys(source);
  if (names.length !== members.length) return false;
  for (let i = 0; i < names.length; i += 1) if (names[i] !== members[i]?.[0]) return false;
  return true;
}

/** Returns the object itself unless something in it is dropped: most answers are built as they are declared. */
function keepMembers(source: Source, members: readonly Member[]): Source {
  let kept = source;
  for (const [name, member] of members) {
    if (member === asIs) continue;
    const given = source[name];
    const next = given === undefined ? given : member(given);
    if (next === given) continue;
    if (kept === source) kept = { ...source };
    kept[name] = next;
  }
  return kept;
}

/** Returns the list itself if nothing in it is dropped. */
function keepItems(list: readonly unknown[], item: Keep): readonly unknown[] {
  const kept = list.map(item);
  return kept.every((each, i) => each === list[i]) ? list : kept;
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
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return keepUnion(branches, secrets);
  if (schema.type === 'object') return keepObject(schema, secrets);
  if (schema.type === 'array' && schema.items) {
    const item = keep(schema.items, secrets);
    return item === asIs ? asIs : (value) => (Array.isArray(value) ? keepItems(value, item) : value);
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

/** The answer for a replay: secrets are null, and `secret_returned_before` is true if the schema has any. */
export function serialiseWithoutSecrets(schema: TSchema, value: unknown): string {
  const kept = hidden(schema)(value);
  return JSON.stringify(hasSecret(schema) ? { ...(kept as object), secret_returned_before: true } : kept);
}

/** The caller's input with its secrets masked, so that other people may see it. */
export function maskSecrets(schema: TSchema, value: unknown): unknown {
  return masked(schema)(value);
}

export function hasSecret(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false;
  if ((schema as PlainSchema)['x-secret'] === true) return true;
  return Object.values(schema).some(hasSecret);
}
