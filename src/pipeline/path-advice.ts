/** Completes a 404: which calls list the valid ids, and which id belongs to a name that stands in the path. */
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { Registry } from '../kernel/registry.ts';
import type { ReferenceAdvice } from './reference-advice.ts';

interface Place {
  readonly list: Endpoint;
  /** The parameter of the path that follows the list. */
  readonly name: string;
}

/** The lists that the path of an endpoint goes through. */
const placesIn = ({ endpoints }: Registry, { path }: Endpoint): Place[] =>
  [...path.matchAll(/\/\{(\w+)\}/g)].flatMap(({ index, 1: name = '' }) => {
    const list = endpoints.find((each) => each.method === 'GET' && each.path === path.slice(0, index));
    return list === undefined ? [] : [{ list, name }];
  });

export async function explainMissing(
  problem: Problem,
  exchange: Exchange,
  registry: Registry,
  advice: ReferenceAdvice,
): Promise<Problem> {
  const { params } = exchange.incoming;
  const places = placesIn(registry, endpointOf(exchange)).filter(
    ({ list }) => callerOf(exchange).decide(list).allowed,
  );
  for (const { list, name } of places) {
    const { quoted, bearer } = await advice.find(list, params[name] ?? '', params);
    if (bearer !== undefined)
      return new Problem('not_found', {
        detail: `There is no id ${quoted}; it is the name of ${bearer}.`,
        nextStep: `Repeat the call with ${bearer} in the path.`,
      });
  }
  if (places.length === 0) return problem;
  // The path is not filled in: what is foreign, deleted or unknown looks alike.
  const calls = places.map(({ list }) => `GET ${list.path}`);
  const [ids, lists] = calls.length === 1 ? ['id', 'lists'] : ['ids', 'list'];
  return new Problem('not_found', {
    detail: problem.message,
    nextStep: `Check the ${ids}; ${calls.join(' and ')} ${lists} the valid ones.`,
  });
}
