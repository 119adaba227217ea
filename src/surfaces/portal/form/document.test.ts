import { describe, expect, it } from 'vitest';
import { resolverOf, type Schema } from '../../../../portal/src/form/document.ts';

const components: Record<string, Schema> = {
  Name: { type: 'string', maxLength: 63, description: 'A name.' },
  Vm: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  Created: {
    allOf: [{ $ref: 'Vm' }],
    type: 'object',
    required: ['operation'],
    properties: { operation: { $ref: 'Name' } },
    description: 'A machine and its operation.',
  },
};
const resolve = resolverOf((reference) => components[reference] ?? {});

describe('a schema is resolved', () => {
  it('through references, whose own keywords it may replace', () => {
    expect(resolve({ $ref: 'Name', description: 'Another one.' })).toEqual({
      type: 'string',
      maxLength: 63,
      description: 'Another one.',
    });
  });

  it('with all members of allOf, and what each part requires', () => {
    expect(resolve({ $ref: 'Created', 'x-column': 1 })).toEqual({
      type: 'object',
      required: ['id', 'operation'],
      properties: { id: { type: 'string' }, operation: { $ref: 'Name' } },
      description: 'A machine and its operation.',
      'x-column': 1,
    });
  });

  it('without null, however it is allowed', () => {
    const name = { type: 'string', maxLength: 63, description: 'A name.', nullable: true };
    expect(resolve({ anyOf: [{ $ref: 'Name' }, { type: 'null' }] })).toEqual(name);
    expect(resolve({ oneOf: [{ type: 'null' }, { $ref: 'Name' }], 'x-label': 'Own' })).toEqual({
      ...name,
      'x-label': 'Own',
    });
    expect(resolve({ type: ['integer', 'null'], minimum: 1 })).toEqual({
      type: 'integer',
      minimum: 1,
      nullable: true,
    });
  });

  it('with the alternatives that are left', () => {
    const discriminator = { propertyName: 'type', mapping: { a: 'Vm', b: 'Created' } };
    const schema = { oneOf: [{ $ref: 'Vm' }, { $ref: 'Created' }], discriminator };
    expect(resolve(schema)).toEqual(schema);
    expect(resolve({ ...schema, oneOf: [...schema.oneOf, { type: 'null' }] })).toEqual({
      ...schema,
      nullable: true,
    });
  });

  it('to itself if it was resolved before', () => {
    for (const schema of [...Object.values(components), { anyOf: [{ $ref: 'Vm' }, { type: 'null' }] }])
      expect(resolve(resolve(schema))).toEqual(resolve(schema));
  });
});
