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

interface Node {
  readonly [READ_AS]?: ReadPlace;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

export const pointerOf = (place: ReadPlace): string =>
  typeof place === 'string' ? place : 'present' in place ? place.present : place.sha256;

export interface Marked {
  /** The JSON Pointer of the member in the request; an asterisk stands for any item of a list. */
  readonly pointer: string;
  readonly place: ReadPlace;
}

/** All members with `readAs` in a schema. */
export function readPlacesIn(schema: TSchema, pointer = ''): Marked[] {
  const { [READ_AS]: place, properties = {}, items, anyOf = [], oneOf = [] } = schema as Node;
  return [
    ...(place === undefined ? [] : [{ pointer, place }]),
    ...Object.entries(properties).flatMap(([name, each]) => readPlacesIn(each, `${pointer}/${name}`)),
    ...(items === undefined ? [] : readPlacesIn(items, `${pointer}/*`)),
    ...[...anyOf, ...oneOf].flatMap((branch) => readPlacesIn(branch, pointer)),
  ];
}
