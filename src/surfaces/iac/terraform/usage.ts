/** How a module is used: with given values, or with those of the examples of the document. */
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
