/**
 * Marks beside the schema of a member, for tools that compare what they sent with what they read
 * (`docs/specification.md`). What the records already say is not marked: `src/surfaces/openapi/member-marks.ts` derives it.
 */
import type { TSchema } from './schema.ts';

/**
 * Where a member of a request is found in the answer: the JSON Pointer of the same value (an asterisk stands for any
 * item of a list), of a value that is not null if the member is true, or of the SHA-256 of the value.
 */
export type ReadPlace = string | { readonly present: string } | { readonly sha256: string };

const READ_AS = 'x-read-as';

/** For members that the answer shows under another name: `{ ...ImageRef, ...readAs('/source/id') }`. */
export const readAs = (place: ReadPlace) => ({ [READ_AS]: place });

export const pointerOf = (place: ReadPlace): string =>
  typeof place === 'string' ? place : 'present' in place ? place.present : place.sha256;

interface Node {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

/** By JSON Pointer (an asterisk stands for any item of a list): the values of a keyword in a schema. */
export function valuesOf(schema: TSchema, keyword: string, pointer = ''): [string, unknown][] {
  const { [keyword]: own, properties = {}, items, anyOf = [], oneOf = [] } = schema as unknown as Node;
  const inside = (node: Node, at: string) => valuesOf(node as unknown as TSchema, keyword, at);
  return [
    ...(own === undefined ? [] : [[pointer, own] satisfies [string, unknown]]),
    ...Object.entries(properties).flatMap(([name, each]) => inside(each, `${pointer}/${name}`)),
    ...(items === undefined ? [] : inside(items, `${pointer}/*`)),
    ...[...anyOf, ...oneOf].flatMap((branch) => inside(branch, pointer)),
  ];
}

/** By JSON Pointer: the members with `readAs` in a schema. */
export const readPlacesIn = (schema: TSchema): ReadonlyMap<string, ReadPlace> =>
  new Map(valuesOf(schema, READ_AS) as [string, ReadPlace][]);
