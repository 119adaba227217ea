/**
 * Finds what a value has beyond its schema: unknown members, and items above the limit. They are reported and removed
 * before the validator runs, because explaining a list that is a thousand times too long would block other requests.
 */
import { nearest } from './did-you-mean.ts';
import type { FieldError } from './problems/problem.ts';
import type { TSchema } from './schema.ts';
import { alternativeOf, variantsOf } from './variants.ts';

interface PlainSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly additionalProperties?: boolean | PlainSchema;
  readonly patternProperties?: object;
  readonly maxProperties?: number;
  readonly items?: PlainSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly PlainSchema[];
  readonly oneOf?: readonly PlainSchema[];
}

export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Longer names are cut when they are quoted, and are not compared with the known ones. */
const LONGEST_NAME = 63;

/** Without the ending that people leave out or put in another form: `image_id`, `images` and `imageId` are alike. */
const stemOf = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replace(/_ids?$|s$/, '');

/** Words of other APIs, and what such a member is called here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  tags: 'labels',
  metadata: 'labels',
  region: 'location',
  zone: 'location',
  datacenter: 'location',
  size: 'plan',
  flavor: 'plan',
  server_type: 'plan',
  instance_type: 'plan',
  keys: 'ssh_key_ids',
  vpc_id: 'network_id',
};

/** The known name that was meant: here, or in an object that is a member here (`source.image_id`). */
function meantBy(name: string, { properties = {} }: PlainSchema): string | null {
  if (name.length > LONGEST_NAME) return null;
  const known = Object.keys(properties);
  const isAlike = (other: string): boolean => stemOf(other) === stemOf(name);
  const inside = Object.entries(properties).flatMap(([outer, { properties: inner, oneOf = [] }]) =>
    [inner, ...oneOf.map((each) => each.properties)]
      .flatMap((members) => Object.keys(members ?? {}))
      .filter(isAlike)
      .map((each) => `${outer}.${each}`),
  );
  const elsewhere = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
  const renamed = known.find((each) => each === elsewhere);
  return known.find(isAlike) ?? renamed ?? nearest(name, known) ?? inside[0] ?? null;
}

export function unknownMember(pointer: string, name: string, schema: PlainSchema, lists = false): FieldError {
  const meant = meantBy(name, schema);
  const known = Object.keys(schema.properties ?? {});
  const list = lists && known.length > 0 ? ` Known: ${known.join(', ')}.` : '';
  const hint = meant === null ? `.${list}` : `; did you mean ${meant}?`;
  const quoted = JSON.stringify(name.slice(0, LONGEST_NAME));
  return { pointer, code: 'unknown_member', detail: `${quoted} is not known here${hint}` };
}

/** For an object with alternatives: says which of them take the member that the chosen one does not have. */
function strangeMember(union: PlainSchema, value: object, pointer: string, name: string): FieldError | null {
  const variants = variantsOf(union);
  if (variants === undefined) return null;
  const { by, alternatives } = variants;
  const takers = [...alternatives].filter(([, { properties = {} }]: [string, PlainSchema]) =>
    Object.hasOwn(properties, name),
  );
  if (takers.length === 0) return null;
  const choice = (value as Readonly<Record<string, unknown>>)[by];
  const others = takers.map(([taker]) => taker).join(' or ');
  const detail = `${JSON.stringify(name)} is not for the ${by} ${choice}: only the ${by} ${others} takes it.`;
  return { pointer, code: 'unknown_member', detail };
}

function tooMany(pointer: string, most: number, what: string): FieldError {
  return { pointer, code: 'too_many', detail: `Must not have more than ${most} ${what}.` };
}

class Trimmer {
  readonly errors: FieldError[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  trim(schema: PlainSchema, value: unknown, at: string): unknown {
    if (value === null || typeof value !== 'object') return value;
    if (schema.anyOf !== undefined) {
      const branches = schema.anyOf.filter(({ type }) => type !== 'null');
      const [only] = branches;
      return only !== undefined && branches.length === 1 ? this.trim(only, value, at) : value;
    }
    if (Array.isArray(value)) return this.#trimList(schema, value, at);
    return this.#trimObject(schema, value as Readonly<Record<string, unknown>>, at);
  }

  #trimList({ items, maxItems = Number.POSITIVE_INFINITY }: PlainSchema, list: unknown[], at: string) {
    if (list.length > maxItems) this.#report(() => tooMany(at, maxItems, 'items'));
    const kept = list.length > maxItems ? list.slice(0, maxItems) : list;
    return items === undefined ? kept : kept.map((item, i) => this.trim(items, item, `${at}/${i}`));
  }

  #trimObject(whole: PlainSchema, value: Readonly<Record<string, unknown>>, at: string): unknown {
    const schema = alternativeOf(whole, value);
    const {
      properties = {},
      additionalProperties: others,
      maxProperties = Number.POSITIVE_INFINITY,
    } = schema;
    const names = Object.keys(value);
    if (names.length > maxProperties) this.#report(() => tooMany(at, maxProperties, 'members'));
    const kept: [string, unknown][] = [];
    let isFirst = true;
    for (const name of names) {
      const member = Object.hasOwn(properties, name) ? properties[name] : others;
      const place = `${at}/${escapePointer(name)}`;
      if (member === false) {
        // Only the first one lists all known names, so that the answer stays short.
        const lists = isFirst;
        isFirst = false;
        this.#report(
          () => strangeMember(whole, value, place, name) ?? unknownMember(place, name, schema, lists),
        );
      } else if (kept.length < maxProperties) {
        const content = value[name];
        const shape = typeof member === 'object' ? member : {};
        kept.push([name, this.trim(shape, content, place)]);
      }
    }
    return Object.fromEntries(kept);
  }

  #report(describe: () => FieldError): void {
    if (this.errors.length < this.#most) this.errors.push(describe());
  }
}

/** Returns the value without the excess, and at most `most` errors about the excess. */
export function trimExcess(schema: TSchema, value: unknown, most: number) {
  const trimmer = new Trimmer(most);
  const rest = trimmer.trim(schema as PlainSchema, value, '');
  return { rest, errors: trimmer.errors };
}
