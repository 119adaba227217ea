/**
 * Fills in the member that chooses between alternatives, if several of them have a member with a name in it:
 * `firewall attach web --target.id app` may mean a machine or a network, so each of these lists is searched for "app".
 */
import type { Document } from '../document/document.ts';
import type { Reference, Schema } from '../document/schema.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import { isObject } from './body.ts';
import { fits, isId, type Names, type Params } from './references.ts';

type Members = Readonly<Record<string, unknown>>;

const flagOf = (path: readonly string[]): string => `--${path.join('.').replaceAll('_', '-')}`;

const spoken = (value: string): string => value.replaceAll('_', ' ');

export class TypesByName {
  readonly #document: Document;
  readonly #names: Names;
  readonly #say: (text: string) => void;

  /** `say` tells the person which alternative was taken. */
  constructor(document: Document, names: Names, say: (text: string) => void) {
    this.#document = document;
    this.#names = names;
    this.#say = say;
  }

  async fill(schema: Schema, body: unknown, params: Params): Promise<unknown> {
    const walk = async (part: Schema, value: unknown, path: readonly string[]): Promise<unknown> => {
      if (!isObject(value)) return value;
      const chosen = await this.#chosen(part, value, path, { params, body });
      const members = this.#document.schemas.members(this.#document.schemas.alternative(part, chosen));
      const filled: Record<string, unknown> = { ...chosen };
      for (const [name, inner] of Object.entries(chosen))
        if (members[name] !== undefined) filled[name] = await walk(members[name], inner, [...path, name]);
      return filled;
    };
    return walk(schema, body, []);
  }

  async #chosen(
    schema: Schema,
    value: Members,
    path: readonly string[],
    from: { readonly params: Params; readonly body: unknown },
  ): Promise<Members> {
    const variants = this.#document.schemas.variants(schema);
    if (variants === undefined || value[variants.by] !== undefined) return value;
    const fitting = [...variants.alternatives].filter(([, { properties = {} }]) =>
      Object.keys(value).every((name) => properties[name] !== undefined),
    );
    const named = Object.keys(value).find((name) =>
      fitting.some(([, { properties = {} }]) => this.#referenceIn(properties[name]) !== undefined),
    );
    const text = named === undefined ? undefined : value[named];
    if (fitting.length < 2 || named === undefined || typeof text !== 'string') return value;
    const found: string[] = [];
    const searched: string[] = [];
    for (const [kind, { properties = {} }] of fitting) {
      const isThere = await this.#isThere(properties[named] ?? {}, text, from);
      if (isThere === undefined) continue;
      searched.push(kind);
      if (isThere) found.push(kind);
    }
    const [typeFlag, nameFlag] = [flagOf([...path, variants.by]), flagOf([...path, named])];
    const [kind, ...others] = found;
    if (kind === undefined) {
      const kinds = searched.map((each) => `no ${spoken(each)}`).join(' and ');
      throw new Failure(
        `There is ${kinds} "${text}". ${typeFlag} says which type you mean: ${fitting.map(([each]) => each).join(', ')}.`,
        exitCodes.notFound,
      );
    }
    if (others.length > 0)
      throw misuse(
        `"${text}" is the name of several things. Say which one you mean:\n${found
          .map((each) => `  ${typeFlag} ${each} ${nameFlag} ${text}`)
          .join('\n')}`,
      );
    if (!isId(text)) this.#say(`"${text}" is a ${spoken(kind)}, so this is ${typeFlag} ${kind}.`);
    return { [variants.by]: kind, ...value };
  }

  #referenceIn(member: Schema | undefined): Reference | undefined {
    return member === undefined ? undefined : this.#document.schemas.plain(member)['x-ref'];
  }

  /** Whether the list of the member has the name; undefined if the list needs values that are not given. */
  async #isThere(
    member: Schema,
    text: string,
    { params, body }: { readonly params: Params; readonly body: unknown },
  ): Promise<boolean | undefined> {
    if (isId(text)) return fits(this.#document.schemas.plain(member), text);
    const reference = this.#referenceIn(member);
    return reference === undefined ? undefined : this.#names.isKnown(text, reference, params, body);
  }
}
