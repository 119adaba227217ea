/**
 * Finds what a value has beyond its schema: unknown members, and items above the limit. They are reported and removed
 * before the validator runs, because explaining a list that is a thousand times too long would block other requests.
 */
import { nearest } from './did-you-mean.ts';
import type { FieldError } from './problems/problem.ts';
import type { TSchema } from './schema.ts';

interface PlainSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly additionalProperties?: boolean | PlainSchema;
  readonly patternProperties?: object;
  readonly maxProperties?: number;
  readonly items?: PlainSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly PlainSchema[];
}

export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export function unknownMember(pointer: string, name: string, known: readonly string[]): FieldError {
  const meant = nearest(name, known);
  const hint = meant === null ? '.' : `; did you mean ${meant}?`;
  return { pointer, code: 'unknown_member', detail: `This name is not known here${hint}` };
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

  #trimObject(schema: PlainSchema, value: Readonly<Record<string, unknown>>, at: string): unknown {
    const {
      properties = {},
      additionalProperties: others,
      maxProperties = Number.POSITIVE_INFINITY,
    } = schema;
    const names = Object.keys(value);
    if (names.length > maxProperties) this.#report(() => tooMany(at, maxProperties, 'members'));
    const kept: [string, unknown][] = [];
    for (const name of names) {
      const member = Object.hasOwn(properties, name) ? properties[name] : others;
      const place = `${at}/${escapePointer(name)}`;
      if (member === false) this.#report(() => unknownMember(place, name, Object.keys(properties)));
      else if (kept.length < maxProperties) {
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
