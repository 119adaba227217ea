/** The faults of a request, with the flags that they are about: people type flags, not objects with members. */
import type { Document, Operation } from '../document/document.ts';
import type { Schema, Schemas } from '../document/schema.ts';
import { type Fault, placeOf } from '../failure.ts';
import { isObject } from '../input/body.ts';
import type { MemberFlag } from '../input/member-flags.ts';
import { isId } from '../input/references.ts';
import { shellWord } from '../output/shell-word.ts';
import { shapeOf } from '../shapes/operation-shape.ts';

/** The sentence of the server that names the faults by their places in the request. */
export const FIELDS = /^(?:One field is|\d+ fields are) not valid: /;

/** Longer lists are cut: all faults stand below the sentence. */
const MOST_NAMED = 5;

export function sentenceAbout(faults: readonly Fault[]): string {
  const places = [...new Set(faults.map(({ place, pointer }) => place ?? placeOf(pointer)))];
  const named = places.slice(0, MOST_NAMED).join(', ');
  const more = places.length > MOST_NAMED ? ', …' : '';
  return `${places.length === 1 ? 'One flag is' : `${places.length} flags are`} missing or not valid: ${named}${more}.`;
}

const shown = ({ name, alias }: MemberFlag): string => `--${alias ?? name}`;

/** The names of members in a pointer to the body, without the places of items. */
const membersIn = (pointer: string): string[] =>
  pointer.startsWith('/')
    ? pointer
        .split('/')
        .slice(1)
        .filter((part) => !/^\d+$/.test(part))
    : [];

const isAt = (flag: MemberFlag, path: readonly string[]): boolean => flag.path.join('/') === path.join('/');

/** The flags that a missing object needs: those of its required members, also of members of members. */
function neededFlags(
  schemas: Schemas,
  flags: readonly MemberFlag[],
  schema: Schema,
  path: readonly string[],
): MemberFlag[] {
  const { required = [], properties = {} } = schemas.plain(schema);
  return required.flatMap((name) => {
    const flag = flags.find((each) => isAt(each, [...path, name]));
    const member = properties[name];
    if (flag?.isHidden !== true || member === undefined) return flag ?? [];
    const inner = neededFlags(schemas, flags, member, [...path, name]);
    return inner.length > 0 ? inner : [flag];
  });
}

/** The flags below a member, of which one or several give it: `--image` or `--snapshot` in place of `source`. */
function eitherOf(schemas: Schemas, flags: readonly MemberFlag[], whole: MemberFlag): Fault['detail'] {
  const { by, alternatives = new Map<string, Schema>() } = schemas.variants(whole.schema) ?? {};
  // An alternative is chosen by what it requires; its other members are details.
  const choosing = new Set([...alternatives.values()].flatMap(({ required = [] }) => required));
  const below = flags.filter(
    ({ path, isHidden }) =>
      isHidden !== true &&
      path.length === whole.path.length + 1 &&
      path.at(-1) !== by &&
      (choosing.size === 0 || choosing.has(path.at(-1) ?? '')) &&
      isAt(whole, path.slice(0, -1)),
  );
  const short = below.filter(({ alias }) => alias !== undefined);
  const names = (short.length > 0 ? short : below).map(shown);
  return `This is required: use ${names.join(' or ')}.`;
}

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;

function missing(flag: MemberFlag): Fault {
  const { path, values, description } = flag;
  const what = values === undefined ? firstSentence(description) : `One of ${values.join(', ')}.`;
  return {
    pointer: `/${path.join('/')}`,
    code: 'required',
    place: shown(flag),
    detail: `This is required. ${what}`.trimEnd(),
  };
}

export function faultsInFlags(
  faults: readonly Fault[],
  document: Document,
  operation: Operation,
): readonly Fault[] {
  const { schemas } = document;
  const { memberFlags: flags } = shapeOf(document, operation);
  return faults.flatMap((fault) => {
    const path = membersIn(fault.pointer);
    const exact = flags.find((flag) => path.length > 0 && isAt(flag, path));
    if (exact?.isHidden === true && fault.code === 'required') {
      const needed = schemas.variants(exact.schema)
        ? []
        : neededFlags(schemas, flags, exact.schema, exact.path);
      if (needed.length > 0) return needed.map(missing);
      return { ...fault, place: `--${exact.name}`, detail: eitherOf(schemas, flags, exact) };
    }
    if (exact !== undefined) return { ...fault, place: shown(exact) };
    // A member of an item: the flag takes the item as a whole.
    const outer = flags
      .filter((flag) => isAt(flag, path.slice(0, flag.path.length)))
      .sort((a, b) => b.path.length - a.path.length)[0];
    if (outer === undefined || outer.isHidden === true) return fault;
    return { ...fault, place: `${shown(outer)} (${path.slice(outer.path.length).join('.')})` };
  });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), value);
}

const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && !String(value).includes(',');

/** How a value of the example is typed; undefined if it is only an id, which nobody can copy. */
function typedAs(flag: MemberFlag, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => typedAs(flag, item));
    return items.length === 0 || items.includes(undefined) ? undefined : items.join(' ');
  }
  if (typeof value === 'boolean') return `--${value ? '' : 'no-'}${flag.alias ?? flag.name}`;
  if (isObject(value)) {
    if (/[a-z]_[0-9a-z]{26}\b/.test(JSON.stringify(value))) return undefined;
    const entries = Object.entries(value);
    const text = entries.every(([, part]) => isPlain(part))
      ? entries.map(([name, part]) => `${name}=${part}`).join(',')
      : JSON.stringify(value);
    return `${shown(flag)} ${shellWord(text)}`;
  }
  if (typeof value === 'string' && isId(value)) return undefined;
  return value === undefined || value === null ? undefined : `${shown(flag)} ${shellWord(String(value))}`;
}

/** Flags for all that is missing, with the values of the example in the document; undefined if it has none for them. */
export function exampleFor(
  faults: readonly Fault[],
  document: Document,
  operation: Operation,
): string | undefined {
  const { schemas } = document;
  const { memberFlags: flags } = shapeOf(document, operation);
  const texts = faults
    .filter(({ code }) => code === 'required')
    .flatMap(({ pointer }) => {
      const path = membersIn(pointer);
      const below = flags.filter((flag) => isAt({ ...flag, path: flag.path.slice(0, path.length) }, path));
      return below.flatMap((flag) => {
        if (flag.isHidden === true) return [];
        const outer = flags.find((each) => each.isHidden === true && isAt(each, flag.path.slice(0, -1)));
        // The other flags say which of the alternatives is meant.
        if (outer && schemas.variants(outer.schema)?.by === flag.path.at(-1)) return [];
        return typedAs(flag, valueAt(operation.example, flag.path)) ?? [];
      });
    });
  return texts.length === 0 ? undefined : [...new Set(texts)].join(' ');
}
