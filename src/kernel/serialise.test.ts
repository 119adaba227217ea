import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Labels, Nullable, OneOf, Secret, Shape, type TSchema, Type } from './schema.ts';
import { hasSecret, serialise, serialiseWithoutSecrets } from './serialise.ts';
import { isValid } from './validation.ts';

const told = (schema: TSchema, value: unknown): unknown => JSON.parse(serialise(schema, value));
const retold = (schema: TSchema, value: unknown): unknown =>
  JSON.parse(serialiseWithoutSecrets(schema, value));

const Disk = Shape({ id: Type.String(), size_gb: Type.Integer() });
const Machine = Shape({
  id: Type.String(),
  note: Nullable(Type.String()),
  owner: Nullable(Shape({ name: Type.String() })),
  disks: Type.Array(Disk),
  labels: Labels,
  extra: Type.Unknown(),
});

const machine = {
  id: 'a',
  note: null,
  owner: { name: 'Ada' },
  disks: [{ id: 'd', size_gb: 1 }],
  labels: { env: 'prod' },
  extra: { any: ['thing'] },
};

describe('serialise', () => {
  it('keeps what the schema declares, at every depth', () => {
    expect(told(Machine, machine)).toEqual(machine);
  });

  it('lets no unknown member out, at any depth', () => {
    const leaky = {
      ...machine,
      hash: 'x',
      owner: { name: 'Ada', password: 'x' },
      disks: [{ id: 'd', size_gb: 1, serial: 'x' }],
    };
    expect(told(Machine, leaky)).toEqual(machine);
  });

  it('lets no unknown member out, whatever a handler returned', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (strange) => {
        const text = serialise(Machine, { ...strange, ...machine });
        expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(Machine.properties));
      }),
    );
  });

  it('writes null for what is nullable, and leaves out what is undefined', () => {
    const schema = Shape({ a: Nullable(Disk), b: Type.Optional(Type.String()) });
    expect(told(schema, { a: null, b: undefined })).toEqual({ a: null });
    expect(told(schema, { a: { id: 'd', size_gb: 1, more: 1 } })).toEqual({ a: { id: 'd', size_gb: 1 } });
  });

  it('uses the branch of a union that matches the value', () => {
    const Cat = Shape({ kind: OneOf(['cat']), lives: Type.Integer() });
    const Dog = Shape({ kind: OneOf(['dog']), tricks: Type.Array(Type.String()) });
    const Pet = Type.Union([Cat, Dog, Type.Null()]);
    expect(told(Pet, { kind: 'cat', lives: 9 })).toEqual({ kind: 'cat', lives: 9 });
    expect(told(Pet, { kind: 'dog', tricks: ['sit'] })).toEqual({ kind: 'dog', tricks: ['sit'] });
    expect(told(Pet, null)).toBeNull();
    expect(told(Pet, { kind: 'fish', secret: 'x' })).toBeNull();
  });

  it('keeps additional members of an open schema', () => {
    const open = Type.Unsafe({
      type: 'object',
      properties: { a: Type.Integer() },
      additionalProperties: true,
    });
    expect(JSON.parse(serialise(open, { a: 1, b: { c: 2 } }))).toEqual({ a: 1, b: { c: 2 } });
  });

  it('keeps every label, also those named like members of Object.prototype', () => {
    const names = ['__proto__', 'constructor', 'tostring', 'valueof', 'has-own', '__define_getter__'];
    const labels = JSON.parse(`{${names.map((name) => `"${name}":"x"`).join(',')}}`) as object;
    expect(isValid(Labels, labels)).toBe(true);
    expect(serialise(Labels, labels)).toBe(JSON.stringify(labels));
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('serialiseWithoutSecrets', () => {
  const Created = Shape({
    id: Type.String(),
    password: Nullable(Secret(Type.String())),
    keys: Type.Array(Shape({ name: Type.String(), secret: Secret(Type.String()) })),
    secret_returned_before: Type.Optional(Type.Boolean()),
  });
  const value = { id: 'a', password: 'hunter2', keys: [{ name: 'k', secret: 's3cret' }] };

  it('hides each secret in place, and marks it as hidden', () => {
    expect(retold(Created, value)).toEqual({
      id: 'a',
      password: null,
      keys: [{ name: 'k', secret: null }],
      secret_returned_before: true,
    });
  });

  it('hides a secret inside a nullable object and inside a map', () => {
    const schema = Shape({
      access: Nullable(Shape({ token: Secret(Type.String()) })),
      tokens: Type.Record(Type.String(), Secret(Type.String())),
    });
    const text = serialiseWithoutSecrets(schema, { access: { token: 'hunter2' }, tokens: { a: 'hunter2' } });
    expect(text).not.toContain('hunter2');
  });

  it('equals the normal answer if there is no secret', () => {
    expect(hasSecret(Machine)).toBe(false);
    expect(serialiseWithoutSecrets(Machine, machine)).toBe(serialise(Machine, machine));
  });

  it('hides a secret at any depth', () => {
    expect(hasSecret(Created)).toBe(true);
    expect(hasSecret(Shape({ list: Type.Array(Nullable(Shape({ s: Secret(Type.String()) }))) }))).toBe(true);
  });
});
