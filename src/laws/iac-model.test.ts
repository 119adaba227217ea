/** Every resource that the API can create, or declare by a name, can be managed as code, and nothing about it is lost. */
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import type { Member } from '../surfaces/iac/inputs.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import type { Operation } from '../surfaces/openapi/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';

const document = exampleDocument(buildRegistry(families));
const { resources } = iacModel(document);
const operations = Object.values(document.paths).flatMap((item): Operation[] => Object.values(item));
const kinds = new Set(['string', 'integer', 'number', 'boolean', 'list', 'map', 'object']);

function withParts(member: Member): Member[] {
  const { type } = member;
  if (type.kind === 'list') return [member, ...withParts(type.items)];
  if (type.kind === 'map') return [member, ...withParts(type.values)];
  if (type.kind === 'object') return [member, ...type.members.flatMap(withParts)];
  return [member];
}

it('the model has every resource that a call creates, or declares by a name, and another one deletes', () => {
  const deleted = operations
    .map((operation) => operation['x-resource'])
    .filter(({ role }) => role === 'delete')
    .map(({ name }) => name);
  const made = operations
    .map((operation) => operation['x-resource'])
    .filter(({ role, parameter }) => role === 'create' || (role === 'declare' && parameter !== undefined))
    .map(({ name }) => name)
    .filter((name) => deleted.includes(name));
  expect(resources.map(({ name }) => name)).toEqual([...new Set(made)]);
});

describe.each(resources)('$name', (resource) => {
  const members = resource.inputs.flatMap(withParts);

  it('has only values of known types', () => {
    expect(members.filter(({ type }) => !kinds.has(type.kind))).toEqual([]);
  });

  it('describes its inputs and outputs', () => {
    const described = [...resource.inputs, ...resource.outputs];
    expect(described.filter(({ description }) => description === '')).toEqual([]);
  });

  it('shows its id or is named by the caller', () => {
    const names = [...resource.outputs, ...resource.inputs].map(({ name }) => name);
    expect(names).toContain(resource.key);
  });

  it('has no input with the name of the input for its parent', () => {
    expect(resource.inputs.map(({ name }) => name)).not.toContain(resource.parent?.input);
  });

  it('has no output that shows a secret', () => {
    const secrets = resource.inputs
      .filter(({ secret, writeOnly }) => secret || writeOnly)
      .map(({ name }) => name);
    expect(resource.outputs.filter(({ name }) => secrets.includes(name))).toEqual([]);
  });
});

it('the model derives from the marks whether a new value changes or replaces a resource', () => {
  const changes = Object.fromEntries(
    (resources.find(({ name }) => name === 'vm')?.inputs ?? []).map(({ name, change }) => [name, change]),
  );
  expect(changes).toMatchObject({
    name: 'update',
    location: 'replace',
    source: 'replace',
    start: 'once',
    ssh_key_ids: 'once',
    user_data: 'update',
  });
});
