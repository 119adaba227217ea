/** The specification with which `terraform import` takes a resource that exists into the state. */
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import { selectorOf } from './read-back.ts';
import { moduleInputs } from './variables.ts';

export interface ImportSpec {
  readonly id: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  readonly read_selector?: string;
  /** The members that are managed, with null in the place of their values. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface Names {
  /** The value that names the resource in its path: its id, or the name that was declared. */
  readonly key: string;
  /** The id of the resource that it is part of. */
  readonly parent?: string;
}

/** Null for what the module sends, member by member; `given` is the value of the input. */
function shapeOf({ type }: Member, given: unknown): unknown {
  if (type.kind !== 'object') return null;
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const sent = type.members.filter(
    (member) => member.required || member.default !== undefined || (values[member.name] ?? null) !== null,
  );
  return Object.fromEntries(sent.map((member) => [member.name, shapeOf(member, values[member.name])]));
}

export function importSpec(
  resource: ManagedResource,
  names: Names,
  given: Readonly<Record<string, unknown>>,
): ImportSpec {
  const { read, create, parent, parameter, key, isDeclared } = resource;
  const fill = (path: string): string =>
    path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      if (name === parent?.parameter) return names.parent ?? whole;
      return name === parameter ? names.key : whole;
    });
  const selector = selectorOf(resource, names.key);
  const sent = moduleInputs(resource).filter(
    (input) =>
      !(isDeclared && input.name === key) &&
      (input.required || input.default !== undefined || (given[input.name] ?? null) !== null),
  );
  return {
    id: fill(read.path),
    path: fill(create.path),
    ...(read.filter === undefined ? {} : { query: { [read.filter]: [names.key] } }),
    ...(selector === '' ? {} : { read_selector: selector }),
    body: Object.fromEntries(
      sent.map((input) => [input.name, shapeOf(input, given[input.name] ?? input.default)]),
    ),
  };
}
