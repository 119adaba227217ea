import { describe, expect, it } from 'vitest';
import type { Call } from '../../kernel/call.ts';
import { exampleOf } from '../../kernel/examples.ts';
import { ResourceQuery } from '../../kernel/listing/query.ts';
import type { PendingJson } from '../../kernel/pending/store.ts';
import { Id, Named, OwnId, ResourceName, Shape, Type } from '../../kernel/schema.ts';
import { listOf, readOf, view } from './records.ts';
import { plural, withArticle } from './words.ts';

const Blade = Named(
  'RecordsTestBlade',
  Shape({ id: OwnId('blade'), name: ResourceName, saw_id: Id('saw'), is_new: Type.Boolean() }),
);
interface BladeRow {
  readonly id: string;
  readonly name: string;
  readonly saw_id: string;
  readonly uses: number;
  readonly pending?: PendingJson;
}
const row: BladeRow = { id: 'blade_1', name: 'a', saw_id: 'saw_1', uses: 0 };

const asked: unknown[] = [];
const source = {
  type: 'blade',
  words: 'blade',
  idPrefix: 'blade',
  permission: 'workshop:blades:read',
  async list(_call: unknown, endpoint: string, narrowing: object) {
    asked.push([endpoint, narrowing]);
    return { rows: [row], nextCursor: null };
  },
  async find(_call: unknown, { value }: { readonly value: string }): Promise<BladeRow | undefined> {
    return value === row.id ? row : undefined;
  },
} as const;
const saws = { idPrefix: 'saw', get: async () => undefined };

const blades = view(source, {
  schema: Blade,
  path: '/workshop/v1/saws/{id}/blades',
  parent: { of: saws, column: 'saw_id', param: 'blade_id' },
  example: exampleOf(Blade, { name: 'fine' }),
  compute: ({ uses }: BladeRow) => ({ is_new: uses === 0 }),
});

const call = (params: object, query: object = {}): Call =>
  ({ params, query, services: {}, now: new Date() }) as unknown as Call;

describe('a derived list', () => {
  const list = listOf(blades, {
    id: 'listBlades',
    query: ResourceQuery({ is_new: Type.Optional(Type.Boolean()) }),
  });

  it('takes path, permission, role, summary and example from the view', () => {
    expect(list).toMatchObject({
      method: 'GET',
      path: '/workshop/v1/saws/{id}/blades',
      permission: 'workshop:blades:read',
      access: 'read',
      resource: { name: 'blade', role: 'list' },
      summary: 'List blades',
      example: {
        params: { id: blades.example.saw_id },
        answer: { status: 200, body: { data: [blades.example], next_cursor: null } },
      },
    });
  });

  it('narrows by its own parameters and by the parent, and presents each row', async () => {
    const reply = await list.handle(call({ id: 'saw_1' }, { limit: 50, sort: 'name', is_new: true }));
    const shown = { id: 'blade_1', name: 'a', saw_id: 'saw_1', is_new: true };
    expect(reply).toEqual({ status: 200, body: { data: [shown], next_cursor: null } });
    expect(asked.at(-1)).toEqual([
      'listBlades',
      expect.objectContaining({ where: { is_new: true }, parent: { column: 'saw_id', id: 'saw_1' } }),
    ]);
  });
});

describe('a derived read', () => {
  const read = readOf(blades, { id: 'getBlade' });

  it('has the parameters of parent and part in its path', () => {
    expect(read.path).toBe('/workshop/v1/saws/{id}/blades/{blade_id}');
    expect(read.example.params).toEqual({ id: blades.example.saw_id, blade_id: blades.example.id });
  });

  it('answers 404 for an unknown part, and for a part of another parent', async () => {
    const of = (id: string, blade_id: string) => read.handle(call({ id, blade_id }));
    await expect(of('saw_1', 'blade_1')).resolves.toMatchObject({ status: 200 });
    await expect(of('saw_1', 'blade_2')).rejects.toMatchObject({ code: 'not_found' });
    await expect(of('saw_2', 'blade_1')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the words of summaries', () => {
  it.each([
    ['volume', 'volumes', 'a volume'],
    ['backup policy', 'backup policies', 'a backup policy'],
    ['SSH key', 'SSH keys', 'an SSH key'],
    ['VPN gateway', 'VPN gateways', 'a VPN gateway'],
    ['image', 'images', 'an image'],
  ])('%s', (words, many, one) => {
    expect([plural(words), withArticle(words)]).toEqual([many, one]);
  });
});
