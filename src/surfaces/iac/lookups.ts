/** Lists in which a file finds what it does not make: plans, images, locations, and resources that exist already. */
import type { Entry, Resolver } from '../openapi/resolved.ts';
import type { Member } from './inputs.ts';
import type { ManagedResource } from './managed.ts';
import { membersOf, type Plain, plainOf } from './schemas.ts';

export interface Lookup {
  /** The resource that is listed. */
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly permission: string;
  /** The list can be narrowed to one name. */
  readonly isFiltered: boolean;
  /** The most rows that one answer has. */
  readonly pageSize: number;
  /** The member of a row that other requests take: `id` or `slug`. */
  readonly key: string;
}

/** The lists that a member, or what is in it, takes its values from. */
function listsIn({ ref, type }: Member): string[] {
  const own = ref === undefined ? [] : [ref.list];
  if (type.kind === 'list') return [...own, ...listsIn(type.items)];
  if (type.kind === 'map') return [...own, ...listsIn(type.values)];
  if (type.kind === 'object') return [...own, ...type.members.flatMap(listsIn)];
  return own;
}

export function lookupsOf(
  resources: readonly ManagedResource[],
  entries: readonly Entry[],
  resolver: Resolver,
  rowOf: (entry: Entry) => Plain,
): Lookup[] {
  const named = new Set(resources.flatMap(({ inputs }) => inputs.flatMap(listsIn)));
  return entries.flatMap((entry) => {
    const { id, path, operation } = entry;
    const { name, role } = operation['x-resource'];
    const isWanted = named.has(id) || resources.some((each) => each.name === name);
    if (role !== 'list' || path.includes('{') || !isWanted) return [];
    const row = membersOf(rowOf(entry));
    const key = ['id', 'slug'].find((each) => row[each] !== undefined);
    if (row['name'] === undefined || key === undefined) return [];
    const parameters = (operation.parameters ?? []).map((parameter) => resolver.parameter(parameter));
    const limit = parameters.find((parameter) => parameter.name === 'limit');
    return {
      name,
      title: operation.summary,
      path,
      permission: operation['x-permission'],
      isFiltered: parameters.some((parameter) => parameter.name === 'name'),
      pageSize: (limit && plainOf(limit.schema, resolver).maximum) ?? 1,
      key,
    };
  });
}
