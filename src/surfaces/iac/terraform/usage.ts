/** How a module is used: with given values, or with those of the examples of the document. */
import { isDeepStrictEqual } from 'node:util';
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import { aligned, assign, block, literal, quoted } from './hcl.ts';
import { type ModuleInput, moduleInputs } from './variables.ts';

/** The example of the document, as far as the module takes it. */
function exampleInputs(resource: ManagedResource): [ModuleInput, unknown][] {
  return moduleInputs(resource).flatMap((input): [ModuleInput, unknown][] => {
    const value = resource.example[input.name];
    if (input.name === resource.key && resource.isDeclared) return [[input, 'my-own']];
    return value === undefined ? [] : [[input, value]];
  });
}

const isId = (value: unknown): boolean => /^[a-z]+_[0-7][0-9a-z]{25}$/.test(String(value));

/** A value of an example; the id of a resource that a module makes is taken from that module, as in a real file. */
function exampleValue(value: unknown, { type, ref }: Member, model: IacModel): string {
  const maker = model.resources.find(({ name }) => name === model.lists[ref?.list ?? '']);
  if (maker !== undefined && isId(value)) return `module.${maker.name}.id`;
  if (type.kind === 'list' && Array.isArray(value))
    return `[${value.map((item) => exampleValue(item, type.items, model)).join(', ')}]`;
  if (type.kind !== 'object' || value === null || typeof value !== 'object') return literal(value);
  const members = type.members.flatMap((member) => {
    const own = (value as Readonly<Record<string, unknown>>)[member.name];
    return own === undefined ? [] : [assign(member.name, exampleValue(own, member, model))];
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** `values` are the members of a request, and `parent` the id of what the resource is a part of. */
export interface Given {
  readonly values: Readonly<Record<string, unknown>>;
  readonly parent?: string | undefined;
}

/** Imports the resource whose id, or name if it is declared, is `key`. */
export function importBlock({ name }: ManagedResource, key: string): string {
  return aligned(
    block('import', [
      assign('to', `module.${name}.restful_resource.this`),
      assign('id', `format(module.${name}.import_as, ${quoted(key)})`),
    ]),
  );
}

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function at(shown: Values, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), shown);
}

/** What the resource `shown` has for a member of `own`, a part of it: without defaults, and without what no answer shows. */
function valueIn(shown: Values, own: Values, member: Member): unknown {
  const { name, readAs, writeOnly, default: usual } = member;
  if (writeOnly && readAs === undefined) return undefined;
  if (readAs !== undefined && typeof readAs !== 'string')
    return 'present' in readAs && (at(shown, readAs.present) ?? null) !== null ? true : undefined;
  if (readAs?.includes('*')) return undefined;
  const value = readAs === undefined ? own[name] : at(shown, readAs);
  if (value === undefined || value === null || isDeepStrictEqual(value, usual)) return undefined;
  const settable = settableOf(shown, value, member);
  return isEmpty(settable) ? undefined : settable;
}

/** The part of a value that a request takes. */
function settableOf(shown: Values, value: unknown, { type }: Member): unknown {
  if (type.kind === 'list' && Array.isArray(value))
    return value.map((item) => settableOf(shown, item, type.items));
  if (type.kind !== 'object' || !isObject(value)) return value;
  const chosen = type.choice?.cases.find((each) => each.value === value[type.choice?.by ?? '']);
  const members = type.members.filter(
    ({ name }) => chosen === undefined || name === type.choice?.by || chosen.allowed.includes(name),
  );
  const parts = members.flatMap((member) => {
    const part = valueIn(shown, value, member);
    return part === undefined ? [] : [[member.name, part]];
  });
  return Object.fromEntries(parts);
}

const isEmpty = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);

/** How a resource that exists is managed from now on: its module with the values that it has, and its import. */
export function moduleOfExisting(
  resource: ManagedResource,
  model: IacModel,
  { shown, parent }: { readonly shown: Values; readonly parent?: string | undefined },
): string {
  const inputs = moduleInputs(resource).flatMap((input) => {
    const value = valueIn(shown, shown, input) ?? (input.required ? resource.example[input.name] : undefined);
    return value === undefined ? [] : [[input.name, value]];
  });
  const usage = moduleUsage(resource, model, { values: Object.fromEntries(inputs), parent });
  return `${usage}\n\n${importBlock(resource, String(shown[resource.key]))}`;
}

export function moduleUsage(resource: ManagedResource, model: IacModel, given?: Given): string {
  const { name, parent } = resource;
  const inputs = given
    ? moduleInputs(resource)
        .filter((input) => given.values[input.name] !== undefined)
        .map((input) => assign(input.variable, literal(given.values[input.name])))
    : exampleInputs(resource).map(([input, value]) =>
        assign(input.variable, exampleValue(value, input, model)),
      );
  const lines = [
    assign('source', quoted(`${model.baseUrl}/iac/terraform/modules/${name}.tar.gz`)),
    ...(parent === undefined
      ? []
      : [assign(parent.input, given?.parent ? quoted(given.parent) : `module.${parent.name}.id`)]),
    ...inputs,
  ];
  return aligned(block(`module ${quoted(name)}`, lines));
}
