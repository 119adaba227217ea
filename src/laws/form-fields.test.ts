/** Every call can be filled by a person: each member of its body and each parameter has a field of the portal. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Described, describe, type Resolve, type Schema } from '../../portal/src/form/document.ts';
import { type Kind, kindOf, kinds } from '../../portal/src/form/kinds.ts';
import { membersOf } from '../../portal/src/form/when.ts';
import { hintOf, valuesOf } from '../../portal/src/form/words.ts';

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Record<string, Record<string, { readonly operationId?: string }>>;
};
const operations = Object.values(document.paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId: id }) => (id === undefined ? [] : [{ id, ...describe(document, id)! }]));

interface Place {
  readonly at: string;
  readonly schema: Schema;
  readonly kind: Kind | null;
}

/** What the field shows inside itself. */
function within({ at, schema, kind }: Place, resolve: Resolve): Place[] {
  if (kind === 'group') return membersIn(schema, at, resolve);
  if (kind === 'items') return membersIn(resolve(schema['items'] as Schema), `${at}/*`, resolve);
  if (kind !== 'alternatives') return [];
  const { mapping, propertyName } = schema['discriminator'] as {
    mapping: Record<string, string>;
    propertyName: string;
  };
  return Object.values(mapping).flatMap(($ref) => {
    const { [propertyName]: _, ...properties } = membersOf(resolve({ $ref }));
    return membersIn({ properties }, at, resolve);
  });
}

function placesAt(at: string, schema: Schema, resolve: Resolve): Place[] {
  const found = resolve(schema);
  const place = { at, schema: found, kind: kindOf(found, resolve) };
  return [place, ...within(place, resolve)];
}

function membersIn(schema: Schema, at: string, resolve: Resolve): Place[] {
  return Object.entries(membersOf(schema)).flatMap(([name, each]) =>
    placesAt(`${at}/${name}`, each, resolve),
  );
}

const placesOf = ({ id, parameters, body, resolve }: Described & { readonly id: string }): Place[] => [
  ...parameters.flatMap((each) => placesAt(`${id} ${each.in}/${each.name}`, each.schema, resolve)),
  ...(body === null ? [] : membersIn(body, `${id} `, resolve)),
];

const places = operations.flatMap(placesOf);

it('every member of every body and every parameter is shown by a field', () => {
  expect(operations.length).toBeGreaterThan(100);
  expect(places.length).toBeGreaterThan(1000);
  expect(places.filter(({ kind }) => kind === null).map(({ at }) => at)).toEqual([]);
});

it('a body is an object, so that its members can be shown', () => {
  const others = operations.filter(({ body }) => body !== null && body['type'] !== 'object');
  expect(others.map(({ id }) => id)).toEqual([]);
});

it('each kind of field is used', () => {
  expect(new Set(places.map(({ kind }) => kind))).toEqual(new Set(kinds));
});

it('no field speaks to people of null, of merge patches or of members, and none repeats a word', () => {
  const said = places.flatMap(({ at, schema }) =>
    [hintOf(schema), ...valuesOf(schema).map(({ note }) => note)].map((words) => `${at}: ${words}`),
  );
  const forPrograms = /\bnull\b|merge patch|members you leave out|: .*\b([a-z]+) \1\b/i;
  expect(said.filter((words) => forPrograms.test(words))).toEqual([]);
});

it('the answer to a call is described with all its members', () => {
  const wrong = operations.filter(
    ({ answer }) => answer?.['type'] === 'object' && answer['allOf'] !== undefined,
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
  const { answer } = operations.find(({ id }) => id === 'createVm')!;
  expect(Object.keys(membersOf(answer!))).toEqual(expect.arrayContaining(['id', 'status', 'operation']));
});

it('every list has a row whose members are known', () => {
  const lists = operations.filter(({ resource }) => resource?.role === 'list');
  expect(lists.length).toBeGreaterThan(20);
  const unknown = lists.filter(
    ({ answerItem }) => answerItem === null || Object.keys(membersOf(answerItem)).length === 0,
  );
  expect(unknown.map(({ id }) => id)).toEqual([]);
});
