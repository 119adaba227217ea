import { expect, it } from 'vitest';
import { Shape, type TSchema, Type } from './schema.ts';
import { faultsOf } from './validation.ts';
import { Variants } from './variants.ts';

const Source = Variants('TestSource', 'type', {
  image: { means: 'An image.', members: { image_id: Type.String({ minLength: 3 }) } },
  snapshot: {
    means: 'A snapshot.',
    members: { snapshot_id: Type.String(), vm_id: Type.Optional(Type.String()) },
  },
  vm: { means: 'A machine.', members: { vm_id: Type.String() } },
});
const Machine = Shape({ name: Type.String(), source: Source });

const found = (schema: TSchema, value: unknown): string[] =>
  faultsOf(schema, value).map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);
const foundIn = (source: unknown): string[] => found(Machine, { name: 'a', source });

it('a union accepts each alternative with its members', () => {
  expect(foundIn({ type: 'image', image_id: 'img' })).toEqual([]);
  expect(foundIn({ type: 'snapshot', snapshot_id: 's' })).toEqual([]);
  expect(foundIn({ type: 'snapshot', snapshot_id: 's', vm_id: 'v' })).toEqual([]);
  expect(foundIn({ type: 'vm', vm_id: 'v' })).toEqual([]);
});

it('an unknown or missing choice is reported with the valid choices, and nothing else', () => {
  expect(foundIn({ type: 'disk', disk_id: 'd' })).toEqual([
    '/source/type invalid_format: Must be one of image, snapshot, vm.',
  ]);
  expect(foundIn({ image_id: 'img' })).toEqual([
    '/source/type required: This is required: one of image, snapshot, vm.',
  ]);
  expect(foundIn({ type: 5 })).toEqual(['/source/type invalid_format: Must be one of image, snapshot, vm.']);
  expect(foundIn('image')).toEqual([
    '/source invalid_format: Must be an object whose type is one of image, snapshot, vm.',
  ]);
});

it('a member of another alternative is reported with the choice that takes it', () => {
  expect(foundIn({ type: 'image', image_id: 'img', vm_id: 'v' })).toEqual([
    '/source/vm_id unknown_member: "vm_id" is not for the type image: only the type snapshot or vm takes it.',
  ]);
  expect(foundIn({ type: 'vm', vm_id: 'v', vmid: 'v' })).toEqual([
    '/source/vmid unknown_member: "vmid" is not known here; did you mean vm_id?',
  ]);
});

it('all missing members are reported at once, with the choice that requires them', () => {
  expect(found(Machine, { source: { type: 'snapshot' } })).toEqual([
    '/name required: This is required.',
    '/source/snapshot_id required: Required with the type snapshot.',
  ]);
});

it('only faults of the chosen alternative are reported, also in a list', () => {
  expect(foundIn({ type: 'image', image_id: 'a' })).toEqual([
    '/source/image_id too_short: Must not have fewer than 3 characters.',
  ]);
  const List = Shape({ sources: Type.Array(Source) });
  const sources = [{ type: 'vm', vm_id: 'v' }, { type: 'vm' }, { type: 'image', image_id: 'a' }];
  expect(found(List, { sources })).toEqual([
    '/sources/1/vm_id required: Required with the type vm.',
    '/sources/2/image_id too_short: Must not have fewer than 3 characters.',
  ]);
});
