/** Derives `x-ref` of path parameters from the records: the list that stands before `{id}` in the path has the values. */
import { membersOf } from '../../kernel/managed-resource.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Filter, Reference } from '../../kernel/reference.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { keyOf, parametersIn } from './resource-mark.ts';

const rowOf = (list: TSchema | undefined) =>
  membersOf((list as { readonly items?: TSchema } | undefined)?.items);

/** People know a row by its name; a row without one by its first column. */
function labelOf(row: Readonly<Record<string, TSchema>>, value: string): string {
  if (Object.hasOwn(row, 'name')) return 'name';
  const place = (name: string): number =>
    (row[name] as { readonly 'x-column'?: number } | undefined)?.['x-column'] ?? Number.POSITIVE_INFINITY;
  const others = Object.keys(row).filter((name) => name !== value);
  return others.toSorted((a, b) => place(a) - place(b))[0] ?? value;
}

/** The parameters of the path of the list are those of the call, under the same names. */
function filtersOf({ path }: Endpoint): { readonly filters?: Record<string, Filter> } {
  const names = parametersIn(path);
  return names.length === 0
    ? {}
    : { filters: Object.fromEntries(names.map((name) => [name, { from: `path/${name}` }])) };
}

export function pathReference(
  endpoint: Endpoint,
  name: string,
  endpoints: readonly Endpoint[],
): Reference | undefined {
  const { path, part } = endpoint;
  const before = path.slice(0, path.indexOf(`/{${name}}`));
  const list = endpoints.find((each) => each.path === before && each.resource.role === 'list');
  if (list !== undefined) {
    const row = rowOf(membersOf(list.answers[200])['data']);
    const value = keyOf(list, endpoints);
    return { list: list.id, value, label: labelOf(row, value), ...filtersOf(list) };
  }
  // An item of a list of another resource: the call that reads that resource has the values.
  const reader = endpoints.find(
    ({ resource }) => resource.name === endpoint.resource.name && resource.role === 'read',
  );
  if (part === undefined || reader === undefined) return undefined;
  const row = rowOf(membersOf(reader.answers[200])[part.member]);
  return {
    list: reader.id,
    in: `/${part.member}`,
    value: part.key,
    label: labelOf(row, part.key),
    ...filtersOf(reader),
  };
}
