/**
 * Marks a member of a request whose value must be one that a list endpoint returns: an SSH key id, a plan, a location.
 * The mark stands beside the schema of the member and is published as `x-ref`. Refusals of such a member are completed
 * from it (`src/pipeline/reference-advice.ts`).
 */
import type { TSchema } from './schema.ts';

export interface Reference {
  /** The operation id of the list. */
  readonly list: string;
  /** Where in its answer the rows are, as a JSON Pointer; absent if in `/data`. */
  readonly in?: string;
  /** The member of its rows that the request takes. */
  readonly value: string;
  /** The member of its rows by which people know them. */
  readonly label: string;
  /** Values that the list shows and this member does not take. */
  readonly except?: readonly string[];
  /** Path and query parameters that narrow the list to what the request can use. */
  readonly filters?: Readonly<Record<string, Filter>>;
}

/**
 * `from` points into the same request: `/location`, `path/id`. An asterisk stands for the position of the list item
 * that contains the reference. Of several places, the first that has a value counts. `equals` is a fixed value.
 */
export type Filter = { readonly from: string | readonly string[] } | { readonly equals: string };

const MARK = 'x-ref';

export function Ref<T extends TSchema>(schema: T, reference: Reference): T {
  return { ...schema, [MARK]: reference };
}

interface Node {
  readonly [MARK]?: Reference;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  /** The items of a schema that is narrowed to one value. */
  readonly prefixItems?: readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

/** The parts of a JSON Pointer, decoded. */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Tries all branches of a union: the first node at the place that has what is looked for. */
function nodeAt(
  node: Node | undefined,
  parts: readonly string[],
  fits: (node: Node) => boolean,
): Node | undefined {
  if (node === undefined) return undefined;
  const [first, ...rest] = parts;
  const branches = node.anyOf ?? node.oneOf ?? [];
  const next =
    first === undefined
      ? undefined
      : (node.prefixItems?.[Number(first)] ?? node.items ?? own(node.properties, first));
  const found = first === undefined ? (fits(node) ? node : undefined) : nodeAt(next, rest, fits);
  return found ?? branches.map((branch) => nodeAt(branch, parts, fits)).find((each) => each !== undefined);
}

const own = (properties: Node['properties'], name: string): Node | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;

/** The reference at a JSON Pointer into a value of this schema. */
export const referenceAt = (schema: TSchema | undefined, pointer: string): Reference | undefined =>
  nodeAt(schema as Node | undefined, partsOf(pointer), (node) => node[MARK] !== undefined)?.[MARK];

/** The schema at a JSON Pointer that says which values or which members there can be. */
export const schemaAt = (schema: TSchema, pointer: string) =>
  nodeAt(
    schema as Node,
    partsOf(pointer),
    (node) => node.enum !== undefined || node.properties !== undefined,
  );
