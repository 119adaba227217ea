/**
 * Finds the endpoints of a path. Fixed segments take precedence over parameters. A match without the requested method
 * answers 405, no match answers 404.
 */
import type { Endpoint } from '../../kernel/record.ts';

/** The endpoints that share one path, by method. */
export interface Place {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The methods, as the header `Allow` lists them. */
  readonly allowed: string;
  readonly parameters: readonly string[];
}

export interface Match {
  readonly place: Place;
  /** The decoded values, in the order of `place.parameters`. */
  readonly values: readonly string[];
}

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: Node | undefined;
  place: Place | undefined;
}

const PARAMETER = /^\{(\w+)\}$/;

function groupByPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints)
    groups.set(endpoint.path, [...(groups.get(endpoint.path) ?? []), endpoint]);
  return groups;
}

function placeOf(path: string, endpoints: readonly Endpoint[]): Place {
  const offers = endpoints.flatMap((endpoint): [string, Endpoint][] =>
    endpoint.method === 'GET'
      ? [
          ['GET', endpoint],
          ['HEAD', endpoint],
        ]
      : [[endpoint.method, endpoint]],
  );
  return {
    endpoints: new Map(offers),
    allowed: offers.map(([method]) => method).join(', '),
    parameters: path.split('/').flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []),
  };
}

const newNode = (): Node => ({ fixed: new Map(), parameter: undefined, place: undefined });

function step(node: Node, segment: string): Node {
  if (PARAMETER.test(segment)) {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const known = node.fixed.get(segment) ?? newNode();
  node.fixed.set(segment, known);
  return known;
}

function walk(
  node: Node,
  path: string,
  from: number,
  isEncoded: boolean,
  values: string[],
): Place | undefined {
  const slash = path.indexOf('/', from);
  const sent = path.slice(from, slash < 0 ? path.length : slash);
  const segment = isEncoded ? decodeURIComponent(sent) : sent;
  const next = node.fixed.get(segment);
  if (next !== undefined) {
    const place = slash < 0 ? next.place : walk(next, path, slash + 1, isEncoded, values);
    if (place !== undefined) return place;
  }
  if (node.parameter === undefined) return undefined;
  values.push(segment);
  const place = slash < 0 ? node.parameter.place : walk(node.parameter, path, slash + 1, isEncoded, values);
  if (place === undefined) values.pop();
  return place;
}

/** The router returns undefined for an unknown path and for a path that cannot be decoded. */
export function buildRouter(endpoints: readonly Endpoint[]): (path: string) => Match | undefined {
  const root = newNode();
  for (const [path, records] of groupByPath(endpoints)) {
    const end = path.slice(1).split('/').reduce(step, root);
    if (end.place !== undefined) throw new Error(`${path} differs from another path only in its parameter.`);
    end.place = placeOf(path, records);
  }
  return (path) => {
    if (!path.startsWith('/')) return undefined;
    const values: string[] = [];
    try {
      const place = walk(root, path, 1, path.includes('%'), values);
      return place === undefined ? undefined : { place, values };
    } catch (error) {
      if (error instanceof URIError) return undefined;
      throw error;
    }
  };
}
