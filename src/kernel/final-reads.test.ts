import { expect, it } from 'vitest';
import { machineKinds } from '../testing/machines.ts';
import { accepted, type Endpoint, endpoint, ok, type ResourceRole } from './record.ts';
import { buildRegistry, type Family } from './registry.ts';
import { Shape, type TSchema, Type } from './schema.ts';

const Thing = Shape({ id: Type.String(), color: Type.String() });
const example = { answer: { status: 200, body: {} } } as const;

const base = (id: string, path: Endpoint['path'], name: string, role: ResourceRole) => ({
  id,
  path,
  summary: id,
  permission: 'workshop:things:read' as const,
  resource: { name, role },
  problems: [],
  example,
});

const reading = (id: string, path: Endpoint['path'], role: 'read' | 'list' = 'read', name = 'thing') =>
  endpoint({
    ...base(id, path, name, role),
    method: 'GET',
    access: 'read',
    answers: { 200: role === 'read' ? Thing : Shape({ data: Type.Array(Thing) }) },
    handle: async () => ok({} as never),
  });

const starting = (path: Endpoint['path'], Answer: TSchema = Thing) =>
  endpoint({
    ...base('paintThing', path, 'thing', 'action'),
    method: 'POST',
    access: 'write',
    operation: machineKinds[0]!,
    answers: { 202: Answer },
    handle: async () => accepted({} as never),
  });

const family = (name: string, ...endpoints: Endpoint[]): Family => ({
  name,
  title: name,
  description: 'Only in this test.',
  endpoints,
});

const readOf = (...endpoints: Endpoint[]) => {
  const read = buildRegistry([family('workshop', ...endpoints)]).finalReads.get('paintThing');
  return [read?.reader.id, read?.idParam];
};

it('a waiting call reads its resource with the only endpoint that reads it', () => {
  const get = reading('getThing', '/workshop/v1/rooms/{id}/things/{thing_id}');
  const list = reading('listThings', '/workshop/v1/rooms/{id}/things', 'list');
  expect(readOf(starting('/workshop/v1/rooms/{id}/things'), list, get)).toEqual(['getThing', 'thing_id']);
});

it('a waiting call searches the list if the resource has no GET of its own', () => {
  const list = reading('listThings', '/workshop/v1/rooms/{id}/things', 'list');
  expect(readOf(starting('/workshop/v1/rooms/{id}/things/{thing_id}'), list)).toEqual(['listThings', null]);
});

const get = reading('getThing', '/workshop/v1/things/{id}');

it.each([
  ['nothing that reads its resource', 'which no endpoint reads or lists', [starting('/workshop/v1/paint')]],
  [
    'two endpoints that read its resource',
    'getThing and getOther have the role "read"',
    [starting('/workshop/v1/paint'), get, reading('getOther', '/workshop/v1/others/{id}')],
  ],
  [
    'a reader whose path it cannot fill',
    'paintThing cannot fill the path of getThing',
    [
      starting('/workshop/v1/walls/{id}/paint'),
      reading('getThing', '/workshop/v1/rooms/{id}/things/{thing_id}'),
    ],
  ],
  [
    'an answer that is another resource',
    'its answer has no color',
    [starting('/workshop/v1/things/{id}/paint', Shape({ id: Type.String() })), get],
  ],
])('a record with %s is refused at start', (_, message, endpoints) => {
  expect(() => buildRegistry([family('workshop', ...endpoints)])).toThrow(message);
});

it('two families with the same resource name are refused at start', () => {
  const other = reading('getOther', '/garage/v1/things/{id}');
  expect(() => buildRegistry([family('workshop', get), family('garage', other)])).toThrow(
    'The families workshop and garage both name a resource "thing"',
  );
});
