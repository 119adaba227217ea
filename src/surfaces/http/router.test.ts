import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { type Endpoint, endpoint, noContent } from '../../kernel/record.ts';
import { workshop } from '../../testing/widgets.ts';
import { buildRouter } from './router.ts';

function record(method: Endpoint['method'], path: Endpoint['path']): Endpoint {
  return endpoint({
    id: `${method} ${path}`,
    method,
    path,
    summary: path,
    permission: 'a:b:read',
    access: 'read',
    resource: { name: 'b', role: 'read' },
    answers: { 204: null },
    problems: [],
    example: { answer: { status: 204, body: null } },
    handle: async () => noContent,
  });
}

const find = buildRouter([
  record('GET', '/a/v1/things'),
  record('GET', '/a/v1/things/{id}'),
  record('DELETE', '/a/v1/things/{id}'),
  record('GET', '/a/v1/things/{thing}/parts/{part}'),
  record('POST', '/a/v1/things/all/stop'),
]);

function pathFound(path: string): readonly [string | undefined, readonly string[]] | undefined {
  const match = find(path);
  return match && [[...match.place.endpoints.values()][0]?.path, match.values];
}

describe('the route of a path', () => {
  it.each<[string, string, string[]]>([
    ['/a/v1/things', '/a/v1/things', []],
    ['/a/v1/things/7', '/a/v1/things/{id}', ['7']],
    ['/a/v1/things/', '/a/v1/things/{id}', ['']],
    ['/a/v1/things/all', '/a/v1/things/{id}', ['all']],
    ['/a/v1/things/all/stop', '/a/v1/things/all/stop', []],
    ['/a/v1/things/all/parts/2', '/a/v1/things/{thing}/parts/{part}', ['all', '2']],
    ['/a/v1/%74hings/a%2Fb%20c', '/a/v1/things/{id}', ['a/b c']],
    ['/a/v1/things/%2525', '/a/v1/things/{id}', ['%25']],
  ])('%s is that of %s', (path, expected, values) => {
    expect(pathFound(path)).toEqual([expected, values]);
  });

  it.each([
    '',
    '*',
    '/',
    '/a/v1',
    '/a/v1/things/7/',
    '/a/v1/things/7/parts',
    '/a/v1/THINGS',
    '//a/v1/things',
    '/a/v1/things/%',
    '/a/v1/things/%ff',
  ])('%j does not exist', (path) => {
    expect(find(path)).toBeUndefined();
  });

  it('offers HEAD with GET, and lists the allowed methods', () => {
    const { place } = find('/a/v1/things/7') ?? {};
    expect([place?.allowed, place?.parameters]).toEqual(['GET, HEAD, DELETE', ['id']]);
    expect(place?.endpoints.get('HEAD')).toBe(place?.endpoints.get('GET'));
    expect(place?.endpoints.get('PUT')).toBeUndefined();
  });

  it('that differs only in the name of a parameter is refused at start', () => {
    expect(() => buildRouter([record('GET', '/a/v1/x/{id}'), record('PUT', '/a/v1/x/{name}')])).toThrow(
      'only in its parameter',
    );
  });

  it('of every record is found with any values', () => {
    const records = [...families, workshop].flatMap(({ endpoints }) => endpoints);
    const all = buildRouter(records);
    const value = fc.string({ unit: 'binary' }).filter((text) => text !== '' && !/\p{Surrogate}/u.test(text));
    fc.assert(
      fc.property(fc.constantFrom(...records), fc.infiniteStream(value), (wanted, stream) => {
        const values: string[] = [];
        const path = wanted.path.replaceAll(/\{\w+\}/g, () => {
          const [next = ''] = stream.take(1);
          values.push(next);
          return encodeURIComponent(next);
        });
        const match = all(path);
        expect(match?.place.endpoints.get(wanted.method)?.id).toBe(wanted.id);
        expect(match?.values).toEqual(values);
      }),
    );
  });
});
