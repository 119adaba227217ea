/**
 * In a batch of MCP, the id of a resource that one call makes is taken by the calls for this type, and refused by those
 * for another type, before anything is made.
 */
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { wrongTypeIn } from '../surfaces/mcp/batch-types.ts';
import { neededBy } from '../surfaces/mcp/earlier-answers.ts';
import { pathReference } from '../surfaces/openapi/path-references.ts';
import { parametersIn } from '../surfaces/openapi/resource-mark.ts';

const { endpoints } = buildRegistry(families);
const creators = endpoints.filter(({ resource, part }) => resource.role === 'create' && part === undefined);

/** The first parameters of paths that take the id of something that a call creates, with that call. */
const places = endpoints.flatMap((endpoint) => {
  const [name = ''] = parametersIn(endpoint.path);
  const reference = pathReference(endpoint, name, endpoints);
  const list = endpoints.find(({ id }) => id === reference?.list);
  const creator = creators.find(({ resource }) => resource.name === list?.resource.name);
  return reference?.value !== 'id' || reference.in !== undefined || creator === undefined
    ? []
    : [{ title: endpoint.id, endpoint, name, creator }];
});

const wrongType = (endpoint: Endpoint, name: string, creator: Endpoint) => {
  const call = { operation: endpoint.id, path: { [name]: '$0.id' } };
  return wrongTypeIn(endpoint, call, neededBy(call), [creator], endpoints);
};

describe.each(places)('$title', ({ endpoint, name, creator }) => {
  it(`takes the id of what ${creator.id} makes`, () => {
    expect(wrongType(endpoint, name, creator)).toBeUndefined();
  });

  it('refuses the id of every other type', () => {
    const others = creators.filter(({ resource }) => resource.name !== creator.resource.name);
    const taken = others.filter((other) => wrongType(endpoint, name, other) === undefined);
    expect(taken.map(({ id }) => id)).toEqual([]);
  });
});

it('many calls are tried', () => {
  expect(places.length).toBeGreaterThan(60);
  expect(creators.length).toBeGreaterThan(10);
});
