/** The form of the OpenAPI document: its size, its tags, the order of its operations, and what it says only once. */
import Spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { topicsOf } from '../kernel/topics.ts';
import type { JsonSchema, Operation } from '../surfaces/openapi/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { workshop } from '../testing/widgets.ts';

const registry = buildRegistry(families);
const document = exampleDocument(registry);
const operations: readonly Operation[] = Object.values(document.paths).flatMap((item) => Object.values(item));

/** The linter reads the whole document, which takes long on a busy machine. */
const TIMEOUT_MS = 300_000;

const MOST_BYTES_PER_OPERATION = 6000;

it('the document has at most 6 kB for each operation, with everything it contains', () => {
  const bytes = Buffer.byteLength(JSON.stringify(document));
  expect(bytes / operations.length).toBeLessThanOrEqual(MOST_BYTES_PER_OPERATION);
});

it(
  'the built-in rules of Spectral find nothing, also with kinds of calls that no family has yet',
  async () => {
    const linter = new Spectral.Spectral();
    linter.setRuleset({ extends: [rulesets.oas] } as unknown as RulesetDefinition);
    const all = exampleDocument(buildRegistry([...families, workshop]));
    const findings = await linter.run(JSON.parse(JSON.stringify(all)));
    expect(findings.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`)).toEqual([]);
  },
  TIMEOUT_MS,
);

describe('tags', () => {
  it.each(families)('of $name explain each resource with an endpoint in one sentence', (family) => {
    const names = new Set(family.endpoints.map(({ resource }) => resource.name));
    expect(Object.keys(family.topics ?? {}).sort()).toEqual([...names].sort());
    for (const { title, purpose } of topicsOf(family)) {
      expect(title).toMatch(/^[A-Z][\w ]+$/);
      expect(purpose).toMatch(/^[A-Z].{20,110}\.$/);
      expect(purpose).not.toMatch(/[.!?] +[A-Z]/);
    }
  });

  it('are those of the operations, in groups by family', () => {
    const names = document.tags.map(({ name }) => name);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(names));
    expect(document['x-tagGroups'].map(({ name }) => name)).toEqual(families.map(({ title }) => title));
    expect(document['x-tagGroups'].flatMap(({ tags }) => tags)).toEqual(names);
  });

  it('have different titles, so that people can tell them apart', () => {
    const titles = document.tags.map((tag) => tag['x-displayName'].toLowerCase());
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('operations', () => {
  const ROLES = ['list', 'create', 'read', 'update', 'declare', 'action', 'delete'];

  it.each(families.flatMap(topicsOf))('of $name are used in this order: list to delete', ({ endpoints }) => {
    const ranks = endpoints.map(({ resource }) => ROLES.indexOf(resource.role));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });

  it('stand in the order of the tags, and of their use: operations of one path stand together', () => {
    const used = families.flatMap(topicsOf).flatMap(({ endpoints }) => endpoints);
    expect(Object.keys(document.paths)).toEqual([...new Set(used.map(({ path }) => path))]);
    const order = ['get', 'post', 'put', 'patch', 'delete'];
    for (const item of Object.values(document.paths)) {
      const places = Object.keys(item).map((verb) => order.indexOf(verb));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
  });
});

/** Counts the inline shapes: objects with members, and enumerations with explained values. */
function countShapes(value: unknown, counts: Map<string, number>): void {
  if (value === null || typeof value !== 'object') return;
  const schema = value as JsonSchema;
  const isObject = Object.keys((schema['properties'] as object | undefined) ?? {}).length > 0;
  if (isObject || schema['x-enum-descriptions'] !== undefined) {
    const { description: _, default: __, ...shape } = schema;
    const form = JSON.stringify(shape);
    counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  for (const [name, part] of Object.entries(value)) if (!/^examples?$/.test(name)) countShapes(part, counts);
}

it('a shape that is used twice is a component', () => {
  const counts = new Map<string, number>();
  countShapes([document.paths, document.components], counts);
  expect([...counts].filter(([, count]) => count > 1).map(([form]) => form)).toEqual([]);
});

it('a parameter or response that is used twice in the same form is a component', () => {
  const parts = operations
    .flatMap(({ parameters, responses }) => [...parameters, ...Object.values(responses)])
    .filter((part) => !('$ref' in part))
    .map((part) => JSON.stringify(part));
  expect(parts.filter((part, i) => parts.indexOf(part) !== i)).toEqual([]);
});
