/** Derives `x-resource` from the records: which parameters name the resource and its parent, and how it is read. */
import { isOfOnlyOne, itemPath, membersOf, subjectOf } from '../../kernel/managed-resource.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { queryShapeOf } from '../../pipeline/input.ts';
import type { ResourceMark } from './model.ts';

export const parametersIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The path parameter that names the resource itself. */
function ownParameter(endpoint: Endpoint, endpoints: readonly Endpoint[]): string | undefined {
  const { path, resource, part } = endpoint;
  const { role } = subjectOf(endpoint);
  if (role === 'list' || role === 'create') return undefined;
  if (part === undefined && role === 'action') {
    const own = itemPath(endpoints, resource.name) ?? path.slice(0, path.lastIndexOf('}') + 1);
    return path.startsWith(own) ? parametersIn(own).at(-1) : undefined;
  }
  return path.endsWith('}') ? parametersIn(path).at(-1) : undefined;
}

function parentOf({ path }: Endpoint, own: string | undefined, endpoints: readonly Endpoint[]) {
  const parameter = parametersIn(path)
    .filter((name) => name !== own)
    .at(-1);
  if (parameter === undefined) return undefined;
  const parentPath = path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);
  const names = new Set(endpoints.map(({ resource }) => resource.name));
  const name = [...names].find((each) => itemPath(endpoints, each) === parentPath);
  return name === undefined ? undefined : { name, parameter };
}

/** The member of the resource whose value is sent as its own path parameter. */
export function keyOf({ part, resource }: Endpoint, endpoints: readonly Endpoint[]): string {
  const declaration = endpoints.find(
    (each) => each.resource.name === resource.name && each.resource.role === 'declare' && !isOfOnlyOne(each),
  );
  return part?.key ?? (declaration === undefined ? 'id' : (declaration.resource.key ?? 'name'));
}

/** The call that shows the resource: alone, as an item of a list, or as an item of another resource. */
function readOf(endpoint: Endpoint, key: string, endpoints: readonly Endpoint[]): ResourceMark['read'] {
  const { resource, part } = endpoint;
  const by = (role: string): Endpoint | undefined =>
    endpoints.find((each) => each.resource.name === resource.name && each.resource.role === role);
  const reader = by('read');
  if (reader !== undefined)
    return { operation: reader.id, ...(part === undefined ? {} : { in: `/${part.member}` }) };
  const list = by('list');
  if (list === undefined) return undefined;
  const filters = membersOf(queryShapeOf(list));
  return { operation: list.id, in: '/data', ...(Object.hasOwn(filters, key) ? { filter: key } : {}) };
}

export function resourceMark(endpoint: Endpoint, endpoints: readonly Endpoint[]): ResourceMark {
  const { name, role } = subjectOf(endpoint);
  const parameter = ownParameter(endpoint, endpoints);
  const parent = parentOf(endpoint, parameter, endpoints);
  const key = keyOf(endpoint, endpoints);
  const isAboutOne = role === 'create' || parameter !== undefined || isOfOnlyOne(endpoint);
  const read = isAboutOne && role !== 'read' ? readOf(endpoint, key, endpoints) : undefined;
  return {
    name,
    role,
    ...(parameter === undefined ? {} : { parameter }),
    ...(parent === undefined ? {} : { parent }),
    ...(read === undefined || key === 'id' ? {} : { key }),
    ...(read === undefined ? {} : { read }),
  };
}
