/** Texts that would do harm if a page took them for anything but text, and the places in a request for them. */
import type { TSchema } from '../../kernel/schema.ts';
import { isValid } from '../../kernel/validation.ts';
import { pointerTo, put } from '../../laws/broken-input.ts';
import { type JsonSchema, sampleOf } from '../arbitrary.ts';

/** Turns the direction of the text that follows. */
export const TURNING = '\u202e';

/** Each is short enough for names of 64 characters. */
export const hostile: readonly string[] = [
  '<img src=x onerror=alert(1)>"><svg onload=alert(2)>',
  '</script><script>alert(3)</script>javascript:alert(4)',
  "'{{7*7}}#{7*7}<%= 7*7 %>",
  `a${TURNING}gpj.exe`,
];

/** A place whose value is part of a list or of an alternative is set together with what is around it. */
export interface Place {
  readonly at: readonly string[];
  readonly valueWith: (text: string) => unknown;
}

/** Secrets are never shown, and a code, a token or a confirmation names something that exists. */
const isShown = (name: string, schema: JsonSchema): boolean =>
  !/password|token|code|challenge|ticket|confirm/.test(name) && !('x-secret' in schema);

const accepts = (schema: JsonSchema, text: string): boolean => isValid(schema as TSchema, text);

/** All places in a value of the schema that accept the text: in objects, lists and alternatives, and as labels. */
export function placesFor(
  schema: TSchema | JsonSchema,
  text: string,
  at: readonly string[] = [],
): readonly Place[] {
  const { properties = {}, items, additionalProperties, propertyNames, type } = schema as JsonSchema;
  const { anyOf, oneOf } = schema as JsonSchema;
  const own =
    [type].flat().includes('string') && accepts(schema as JsonSchema, text)
      ? [{ at, valueWith: (given: string) => given }]
      : [];
  const members = Object.entries(properties)
    .filter(([name, member]) => isShown(name, member))
    .flatMap(([name, member]) => placesFor(member, text, [...at, name]));
  const inList =
    items === undefined
      ? []
      : placesFor(items, text).map((place) => ({
          at,
          valueWith: (given: string) => [put(sampleOf(items), place.at, place.valueWith(given))],
        }));
  const labels =
    typeof additionalProperties === 'object'
      ? [
          ...placesFor(additionalProperties, text, [...at, 'label']),
          ...(accepts(propertyNames ?? { type: 'string' }, text)
            ? [{ at, valueWith: (given: string) => ({ [given]: sampleOf(additionalProperties) }) }]
            : []),
        ]
      : [];
  const branches = [...(anyOf ?? []), ...(oneOf ?? [])].flatMap((branch) => placesFor(branch, text, at));
  return [...own, ...members, ...inList, ...labels, ...branches];
}

/** Writes a text into each place of the body. */
export const spoil = (body: object, places: readonly Place[], textOf: (place: Place) => string): object =>
  places.reduce<unknown>(
    (value, place) => put(value, place.at, place.valueWith(textOf(place))),
    body,
  ) as object;

/** The places that no refusal names. */
export function placesLeft(places: readonly Place[], pointers: readonly string[]): readonly Place[] {
  const isRefused = ({ at }: Place): boolean =>
    pointers.some((pointer) => `${pointer}/`.startsWith(`${pointerTo(at)}/`));
  return places.filter((place) => !isRefused(place));
}
