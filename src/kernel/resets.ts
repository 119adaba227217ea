/**
 * In a merge patch (RFC 7396), null removes a member: it is then as if the creation had left it out. Members of an
 * update are declared with `Resettable`, and its handler gets the value that null stands for.
 */
import { Nullable, type TSchema } from './schema.ts';

/** The value that null stands for. A symbol, because nothing but this file reads it. */
const RESET = Symbol('reset');

interface Node {
  readonly [RESET]?: { readonly value: unknown };
  readonly type?: unknown;
  readonly title?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
}

/**
 * Null resets the member to the default of the schema, or the members of an object to theirs. An update has no
 * default itself: a member that is left out stays as it is.
 */
export function Resettable<T extends TSchema>(schema: T): T {
  const { default: value, ...rest } = schema as Node;
  const isInline = rest.title === undefined && (rest.type === 'object' || rest.type === 'array');
  const nullable = isInline ? { ...rest, type: [rest.type, 'null'] } : Nullable(rest as TSchema);
  const reset = value === undefined ? {} : { [RESET]: { value } };
  return { ...nullable, ...reset } as unknown as T;
}

/** For members that are no part of the resource: left out, they have their default in an update, too. */
export const Instruction = <T extends TSchema>(schema: T & { readonly default: unknown }): T => ({
  ...Resettable(schema),
  default: schema.default,
});

const plainOf = (node: Node): Node => node.anyOf?.find(({ type }) => type !== 'null') ?? node;

/** What a member is after null; null itself if the creation has no default for it. */
function resetOf(node: Node): unknown {
  if (node[RESET] !== undefined) return node[RESET].value;
  const { properties } = plainOf(node);
  if (properties === undefined) return null;
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, resetOf(member)]));
}

const known = new WeakMap<object, boolean>();

function hasResets(node: Node): boolean {
  const isKnown = known.get(node);
  if (isKnown !== undefined) return isKnown;
  const members = Object.values(plainOf(node).properties ?? {});
  const found = node[RESET] !== undefined || members.some(hasResets);
  known.set(node, found);
  return found;
}

function resolve(node: Node, value: unknown): unknown {
  if (value === null) return resetOf(node);
  const { properties } = plainOf(node);
  if (properties === undefined || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, resolve(properties[name] ?? {}, part)]),
  );
}

/** The body with each null replaced by the value that it stands for. The body is valid. */
export const withResets = (schema: TSchema, body: unknown): unknown =>
  hasResets(schema as Node) ? resolve(schema as Node, body) : body;
