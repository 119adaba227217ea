import { describe, expect, it } from 'vitest';
import { eg, exampleOf } from './examples.ts';
import { Lifecycle } from './lifecycle.ts';
import {
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  Type,
} from './schema.ts';

const life = new Lifecycle<'making' | 'ready'>({
  resource: 'example_tool',
  table: 'tools',
  states: { making: 'It is being made.', ready: 'It can be used.' },
  transitional: ['making'],
  transitions: [],
});

const Tool = Named(
  'ExampleTool',
  Shape({
    id: OwnId('tool'),
    name: Type.String(),
    description: Description,
    labels: { ...Labels, description: 'Of this tool.' },
    status: life.ShownStatus,
    kind: OneOf(['saw', 'axe']),
    size_cm: Type.Integer(eg(30)),
    case_id: Nullable(Id('case')),
    price: Nullable(Type.String(eg('1.00'))),
    is_sharp: Type.Boolean(),
    parts: Type.Array(Type.String()),
    maker: Shape({ id: Id('mem'), country: Type.String(eg('FI')) }),
    note: Type.Optional(Type.String()),
    etag: Etag,
    created_at: CreatedAt,
  }),
);

describe('the example of a shape', () => {
  it('has the shared example of each kind of member, and its own members', () => {
    expect(exampleOf(Tool, { name: 'saw-1', is_sharp: true })).toEqual({
      id: 'tool_01jqzv2m7xe9rs5d3k8w4t6y0b',
      name: 'saw-1',
      description: '',
      labels: { env: 'prod' },
      status: 'ready',
      kind: 'saw',
      size_cm: 30,
      case_id: null,
      price: '1.00',
      is_sharp: true,
      parts: [],
      maker: { id: 'mem_01jqzv2m7xe9rs5d3k8w4t6y0b', country: 'FI' },
      etag: 'q3w2c9T1hVb7Zk0m',
      created_at: '2026-03-01T10:00:00.000Z',
    });
  });

  it('shows an optional member only if it is given', () => {
    expect(exampleOf(Tool, { name: 'saw-1', note: 'old' })).toHaveProperty('note', 'old');
  });

  it('names the member that has no example', () => {
    expect(() => exampleOf(Tool)).toThrow('The example of ExampleTool needs name.');
  });

  it('does not publish examples with the schema', () => {
    expect(JSON.stringify(Tool)).not.toContain('FI');
  });
});
