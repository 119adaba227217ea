/** The marks of the specification name operations, parameters, members and states that exist. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { managedResources, membersOf } from '../kernel/managed-resource.ts';
import { pointerOf, readPlacesIn } from '../kernel/member-marks.ts';
import type { PublishedStates } from '../kernel/published-states.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { isValid } from '../kernel/validation.ts';
import type { JsonSchema, Operation } from '../surfaces/openapi/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { exemptFrom } from './exemptions.ts';

const registry = buildRegistry(families);
const document = exampleDocument(registry);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.values(item).map((operation: Operation) => ({
    path,
    id: operation.operationId,
    mark: operation['x-resource'],
  })),
);
const ids = operations.map(({ id }) => id);
const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

it('all marks are explained in docs/specification.md', () => {
  const page = readFileSync(new URL('../../docs/specification.md', import.meta.url), 'utf8');
  const used = JSON.stringify(document).matchAll(/"(x-[\w-]+)":/g);
  const names = [...new Set([...used].map(([, name = '']) => name))];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** A declaration one of whose required members takes null. */
const isUndoneByNull = ({ resource, body }: Endpoint): boolean =>
  resource.role === 'declare' &&
  ((body as { required?: readonly string[] } | undefined)?.required ?? []).some((name) =>
    isValid(membersOf(body)[name] ?? {}, null),
  );

describe('x-resource', () => {
  it.each(operations)('of $id names the resource of every path parameter', ({ path, mark }) => {
    const { parameter, parent } = mark;
    const named = [parameter, parent?.parameter].filter((name) => name !== undefined);
    expect(named.sort()).toEqual(namesIn(path).sort());
    if (parent !== undefined) expect(operations.some((each) => each.mark.name === parent.name)).toBe(true);
  });

  it('says how to read every resource that calls create, declare, change or delete', () => {
    const roles = ['create', 'declare', 'update', 'delete'];
    const silent = operations.filter(
      ({ mark }) => roles.includes(mark.role) && !ids.includes(mark.read?.operation ?? ''),
    );
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  it('says how to delete every resource that calls create or declare, or declares it away with null', () => {
    const deleted = [
      ...operations.filter(({ mark }) => mark.role === 'delete').map(({ mark }) => mark.name),
      ...registry.endpoints.filter(isUndoneByNull).map(({ resource }) => resource.name),
    ];
    const isNew = ({ role, parameter }: Operation['x-resource']) =>
      role === 'create' || (role === 'declare' && parameter !== undefined);
    const made = operations.filter(({ mark }) => isNew(mark));
    const kept = made.map(({ mark }) => mark.name).filter((name) => !deleted.includes(name));
    expect(kept.sort()).toEqual(exemptFrom('keptForGood'));
  });
});

/** The schema at a JSON Pointer into values of this schema. */
function schemaAt(schema: JsonSchema | undefined, parts: readonly string[]): JsonSchema | undefined {
  const {
    properties,
    items,
    anyOf = [],
  } = (schema ?? {}) as {
    properties?: Readonly<Record<string, JsonSchema>>;
    items?: JsonSchema;
    anyOf?: readonly JsonSchema[];
  };
  const [first, ...rest] = parts;
  if (first === undefined || schema === undefined) return schema;
  const next = first === '*' ? items : properties?.[first];
  if (next !== undefined) return schemaAt(next, rest);
  return anyOf.map((branch) => schemaAt(branch, parts)).find((found) => found !== undefined);
}

describe.each(managedResources(registry.endpoints))('x-read-as in $creator.id', ({ creator, shape }) => {
  it('names members that the resource has', () => {
    const places = [...readPlacesIn(creator.body ?? {}).values()].map(pointerOf);
    const missing = places.filter(
      (place) => schemaAt(shape as unknown as JsonSchema, place.split('/').slice(1)) === undefined,
    );
    expect(missing).toEqual([]);
  });
});

/** Every schema with `x-states` below a part of the document. */
function statuses(
  part: unknown,
): { readonly enum: readonly string[]; readonly 'x-states': PublishedStates }[] {
  if (part === null || typeof part !== 'object') return [];
  const own = 'x-states' in part ? [part as ReturnType<typeof statuses>[number]] : [];
  return [...own, ...Object.values(part).flatMap(statuses)];
}

it('x-states names states of its status and operations that exist', () => {
  const found = statuses(document.components.schemas);
  expect(found.length).toBeGreaterThan(5);
  for (const { enum: states, 'x-states': table } of found) {
    expect(states).toEqual(expect.arrayContaining([...table.transient, ...Object.keys(table.allows)]));
    expect(ids).toEqual(expect.arrayContaining(Object.values(table.allows).flat()));
  }
});
