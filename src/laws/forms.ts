/**
 * Fills the body of a call as a program would that knows only the OpenAPI document: from the lists that `x-ref` names,
 * from `const`, `enum`, `default` and `examples`, and from the example of the operation. Optional members for which
 * none of these has a value are left out, and so are members that `x-when` excludes.
 */
import type { Endpoint } from '../kernel/record.ts';
import type { Filter, Reference } from '../kernel/reference.ts';
import { variantsOf } from '../kernel/variants.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { endpoints, type Params, urlOf, type World } from './walk.ts';

export type FormSchema = JsonSchema & {
  readonly examples?: readonly unknown[];
  readonly 'x-ref'?: Reference;
  readonly 'x-immutable'?: boolean;
  readonly 'x-when'?: { readonly member: string; readonly is?: readonly unknown[]; readonly sent?: boolean };
  readonly description?: string;
};

type Members = Readonly<Record<string, unknown>>;

/** The choices of a form that are not left to the filler: by JSON Pointer, with `*` for positions in lists. */
export type Choices = Readonly<Record<string, string>>;

export interface Form {
  readonly endpoint: Endpoint;
  readonly params: Params;
  /** Which alternatives it has, such as `/source image`. */
  readonly title: string;
  readonly choices: Choices;
  /** Something else was picked than in the example, so optional parts of the example may not fit. */
  readonly isPicked?: true;
}

const isObject = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The schema without null, which a form never fills in. */
export const plainOf = (schema: FormSchema): FormSchema => {
  const branch = schema.anyOf?.find(({ type }) => type !== 'null');
  if (branch === undefined) return schema;
  const { anyOf: _, ...rest } = schema;
  return { ...branch, ...rest };
};

/** All forms of a call: one for each alternative that its body offers. */
export function formsOf(endpoint: Endpoint, params: Params): Form[] {
  const unions = unionsIn(endpoint.body as FormSchema, '');
  const alternatives = unions.flatMap(({ at, values }) =>
    values.map((value) => ({ title: ` ${at} ${value}`, choices: { [at]: value } })),
  );
  const forms = alternatives.length === 0 ? [{ title: '', choices: {} }] : alternatives;
  return forms.map(({ title, choices }) => ({ endpoint, params, title: `${endpoint.id}${title}`, choices }));
}

function unionsIn(schema: FormSchema, at: string): { at: string; values: string[] }[] {
  const variants = variantsOf(schema);
  if (variants !== undefined) return [{ at, values: [...variants.alternatives.keys()] }];
  return [
    ...Object.entries(plainOf(schema).properties ?? {}).flatMap(([name, member]) =>
      unionsIn(member, `${at}/${name}`),
    ),
    ...(schema.items === undefined ? [] : unionsIn(schema.items, `${at}/*`)),
  ];
}

export class Filler {
  readonly #world: World;
  readonly #rows = new Map<string, Promise<readonly Members[]>>();

  constructor(world: World) {
    this.#world = world;
  }

  async fill(form: Form): Promise<unknown> {
    const { endpoint } = form;
    const filling = new Filling(this, form);
    return filling.value(endpoint.body as FormSchema, '', endpoint.example.body, (body) => body);
  }

  /** The values that a reference in this body can have. */
  async candidates({ params }: Form, body: unknown, reference: Reference): Promise<string[]> {
    return (await this.valuesOf(reference, filtersOf(reference, params, body))) ?? [];
  }

  /** The values of a list, narrowed as its reference says; null if a parameter of its path is not known. */
  async valuesOf(reference: Reference, filters: Readonly<Record<string, string>>): Promise<string[] | null> {
    const list = endpoints.find(({ id }) => id === reference.list);
    if (list === undefined) throw new Error(`There is no list ${reference.list}.`);
    const names = Object.keys(list.params.properties);
    if (names.some((name) => filters[name] === undefined)) return null;
    const query = Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name)));
    const url = urlOf(list, filters, query);
    const place = (reference.in ?? '/data').slice(1);
    const name = `${place} ${url}`;
    const rows = this.#rows.get(name) ?? this.#read(url, place);
    this.#rows.set(name, rows);
    const values = [...new Set((await rows).map((row) => String(row[reference.value])))];
    return values.filter((value) => !reference.except?.includes(value));
  }

  async #read(url: string, place: string): Promise<readonly Members[]> {
    const answer = await this.#world.app.call({ method: 'GET', url, key: this.#world.key.key });
    if (answer.statusCode !== 200) throw new Error(`GET ${url} ${answer.statusCode}: ${answer.body}`);
    return answer.json<Readonly<Record<string, readonly Members[]>>>()[place] ?? [];
  }

  /** The current name of the resource in the path, which a person repeats in `confirm`. */
  async nameOf({ endpoint, params }: Form): Promise<string | undefined> {
    const path = endpoint.path.slice(0, endpoint.path.indexOf('}') + 1) as Endpoint['path'];
    const url = urlOf({ ...endpoint, path }, params);
    const answer = await this.#world.app.call({ method: 'GET', url, key: this.#world.key.key });
    return answer.json<{ name?: string }>().name;
  }
}

/** Whether all members of the items of a list can be left out. */
const isOptionalItem = (items: FormSchema | undefined): boolean =>
  items?.properties !== undefined && (items.required ?? []).length === 0;

type Root = (part: unknown) => unknown;

class Filling {
  readonly #filler: Filler;
  readonly #form: Form;

  constructor(filler: Filler, form: Form) {
    this.#filler = filler;
    this.#form = form;
  }

  /** `example` is the part of the example at this place; `root` puts a part in its place in the body so far. */
  async value(whole: FormSchema, at: string, example: unknown, root: Root): Promise<unknown> {
    const schema = plainOf(whole);
    const chosen = this.#form.choices[at];
    const variants = variantsOf(schema);
    if (variants !== undefined) {
      const { by, alternatives } = variants;
      const { [by]: usual } = (schema.default ?? example ?? {}) as Members;
      const choice = chosen ?? String(usual);
      const isExample = isObject(example) && example[by] === choice;
      const alternative = alternatives.get(choice);
      return alternative && this.value(alternative, at, isExample ? example : undefined, root);
    }
    if (schema['x-ref'] !== undefined) return chosen ?? this.#pick(schema['x-ref'], example, root(undefined));
    if (schema.const !== undefined) return schema.const;
    if (schema.properties !== undefined) return this.#object(schema, at, example, root);
    if (schema.type === 'array') return this.#list(schema, at, example, root);
    if (at === '/confirm') return this.#filler.nameOf(this.#form);
    return example ?? schema.default ?? schema.examples?.[0];
  }

  async #object(schema: FormSchema, at: string, example: unknown, root: Root): Promise<unknown> {
    let body: Members = {};
    const examples = isObject(example) ? example : {};
    const { required = [], properties = {} } = schema;
    if (required.length === 0 && this.#isOfPickedItem(at)) return undefined;
    // A choice in such a list can exclude later members: a machine with a second location can have no network.
    let isEnough = false;
    for (const [name, member] of Object.entries(properties) as [string, FormSchema][]) {
      const isNeeded = !isEnough || required.includes(name);
      if (member['x-immutable'] === true || !isNeeded || !this.#matters(member, body, schema)) continue;
      const place: Root = (part) => root({ ...body, [name]: part });
      const part = await this.value(member, `${at}/${name}`, examples[name], place);
      if (part !== undefined) body = { ...body, [name]: part };
      isEnough ||= isOptionalItem(member.items) && this.#isChosenIn(`${at}/${name}`);
    }
    const isMissing = required.some((name) => body[name] === undefined);
    return isMissing && at !== '' ? undefined : body;
  }

  async #list(schema: FormSchema, at: string, example: unknown, root: Root): Promise<unknown> {
    const items = schema.items as FormSchema;
    if (isOptionalItem(items))
      return this.#isChosenIn(at) ? [this.#chosenItem(at)] : (example ?? schema.default);
    const [first, ...rest] = Array.isArray(example) ? example : [];
    const place: Root = (part) => root([part]);
    const item = await this.value(items, `${at}/*`, first, place);
    // The ids of the example are of no resource.
    if (item === undefined && items['x-ref'] !== undefined) return schema.default;
    if (item === undefined) return example ?? schema.default ?? schema.examples?.[0];
    return items['x-ref'] === undefined ? [item, ...rest] : [item];
  }

  /**
   * Whether this object stands in an item of a list in which something else was picked than in the example: the usage
   * of a machine, which the example of `estimatePrice` has, is refused for other types of resources.
   */
  #isOfPickedItem(at: string): boolean {
    const holder = at.slice(0, at.lastIndexOf('/') + 1);
    const choices = Object.keys(this.#form.choices);
    return (
      this.#form.isPicked === true && holder.includes('*') && choices.some((each) => each.startsWith(holder))
    );
  }

  #isChosenIn(list: string): boolean {
    return Object.keys(this.#form.choices).some((place) => place.startsWith(`${list}/*/`));
  }

  /** An item of a list whose members can all be left out: it has only those that are chosen. */
  #chosenItem(at: string): Members {
    const chosen = Object.entries(this.#form.choices).filter(([place]) => place.startsWith(`${at}/*/`));
    return Object.fromEntries(chosen.map(([place, value]) => [place.slice(`${at}/*/`.length), value]));
  }

  /** Whether a member is of interest with what is filled in so far. */
  #matters({ 'x-when': when }: FormSchema, body: Members, { properties = {} }: FormSchema): boolean {
    if (when === undefined) return true;
    const { member, is, sent } = when;
    const [name = '', inner] = member.split('/');
    const given = inner === undefined ? body[name] : (body[name] as Members | undefined)?.[inner];
    if (sent !== undefined) return sent === (given !== undefined);
    return is?.includes(given ?? properties[name]?.default) ?? false;
  }

  /** The value of the example, if the list has it; otherwise its first value. */
  async #pick(reference: Reference, example: unknown, body: unknown): Promise<string | undefined> {
    const values = await this.#filler.valuesOf(reference, filtersOf(reference, this.#form.params, body));
    return values?.find((value) => value === example) ?? values?.[0];
  }
}

function filtersOf({ filters = {} }: Reference, params: Params, body: unknown): Record<string, string> {
  const values = Object.entries(filters).flatMap(([name, filter]): [string, string][] => {
    const value = filterValue(filter, params, body);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

function filterValue(filter: Filter, params: Params, body: unknown): string | undefined {
  if ('equals' in filter) return filter.equals;
  const found = [filter.from].flat().map((from) => valueFrom(from, params, body));
  return found.find((value) => value !== undefined);
}

function valueFrom(from: string, params: Params, body: unknown): string | undefined {
  if (from.startsWith('path/')) return params[from.slice('path/'.length)];
  const found = from
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => {
      if (Array.isArray(inner)) return inner[0];
      return isObject(inner) ? inner[name] : undefined;
    }, body);
  return typeof found === 'string' ? found : undefined;
}
