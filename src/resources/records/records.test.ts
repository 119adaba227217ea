import { describe, expect, it } from 'vitest';
import type { Call } from '../../kernel/call.ts';
import { exampleOf } from '../../kernel/examples.ts';
import { ResourceQuery } from '../../kernel/listing/query.ts';
import { kind, NoInput } from '../../kernel/operations/kind.ts';
import { PendingOperation } from '../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../kernel/operations/store.ts';
import type { PendingJson } from '../../kernel/pending/store.ts';
import { Id, Named, Nullable, OwnId, ResourceName, Shape, Time, Type } from '../../kernel/schema.ts';
import { creationOf, listOf, readOf, view, writeOf } from './records.ts';
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

describe('a derived change', () => {
  const change = writeOf(blades, 'update', {
    id: 'updateBlade',
    body: Shape({ is_new: Type.Boolean() }),
    problems: ['invalid_state'],
    example: { body: { is_new: true }, answer: { is_new: true } },
    async handle({ params, body }) {
      return { row: { ...row, saw_id: params.id, uses: body.is_new ? 0 : 1 } };
    },
  });

  it('takes everything but its words, request and handler from the view', () => {
    expect(change).toMatchObject({
      method: 'PATCH',
      path: '/workshop/v1/saws/{id}/blades/{blade_id}',
      summary: 'Change a blade',
      permission: 'workshop:blades:write',
      access: 'write',
      resource: { name: 'blade', role: 'update' },
      answers: { 200: Blade },
      problems: ['invalid_state'],
      example: {
        params: { id: blades.example.saw_id, blade_id: blades.example.id },
        body: { is_new: true },
        answer: { status: 200, body: { ...blades.example, is_new: true } },
      },
    });
    expect(change.operation).toBeUndefined();
  });

  it('presents the row that the handler returns', async () => {
    const reply = await change.handle({
      ...call({ id: 'saw_9', blade_id: 'blade_1' }),
      body: { is_new: false },
    } as Call);
    const shown = { id: 'blade_1', name: 'a', saw_id: 'saw_9', is_new: false };
    expect(reply).toEqual({ status: 200, body: shown });
  });
});

describe('a derived creation by operation', () => {
  const Kiln = Named(
    'RecordsTestKiln',
    Shape({
      id: OwnId('kiln'),
      name: ResourceName,
      status: Type.String(),
      operation: PendingOperation,
      provisioned_at: Nullable(Time),
    }),
  );
  const kiln = { id: 'kiln_1', name: 'hot', status: 'creating', provisioned_at: null };
  const reported: unknown[] = [];
  const kilns = {
    type: 'kiln',
    words: 'kiln',
    idPrefix: 'kiln',
    permission: 'workshop:kilns:read',
    path: '/workshop/v1/kilns/{id}',
    find: async (): Promise<typeof kiln | undefined> => kiln,
    ref: ({ id, name }: typeof kiln) => ({ type: 'kiln', id, name }),
    reportCost: async (_call: unknown, rows: unknown, after: unknown, isNew?: boolean) => {
      reported.push([rows, after, isNew]);
    },
  } as const;
  const kilnView = view(kilns, {
    schema: Kiln,
    example: exampleOf(Kiln, { name: 'hot', status: 'active' }),
  });
  const createKind = kind<typeof NoInput>({
    type: 'kiln.create',
    family: 'workshop',
    resourceType: 'kiln',
    queue: 'exclusive',
    input: NoInput,
    typicalSeconds: 1,
    deadlineSeconds: 60,
    cancellable: true,
    steps: [],
  });
  const create = (ready: boolean) =>
    creationOf(kilnView as never, {
      id: 'createKiln',
      body: Shape({ name: ResourceName }),
      kind: createKind,
      example: { body: { name: 'hot' } },
      begin: async () => ({ row: kiln, input: {}, ...(ready && { ready: { status: 'active' } }) }) as never,
    });

  const started: unknown[] = [];
  const calling = {
    ...call({}),
    start: async (start: object): Promise<Partial<StoredOperation>> => {
      started.push(start);
      throw new Error('stop here');
    },
  } as unknown as Call;

  it('shows the resource of its example as it is while the operation runs', () => {
    const { answers, operation, example } = create(true);
    expect(Object.keys(answers)).toEqual(['200', '202']);
    expect(operation).toBe(createKind);
    expect(example.answer).toMatchObject({
      status: 202,
      body: {
        status: 'creating',
        provisioned_at: null,
        operation: { type: 'kiln.create', status: 'queued' },
      },
    });
  });

  it('reports what the finished resource costs, and starts the operation on the new row', async () => {
    await expect(create(true).handle(calling)).rejects.toThrow('stop here');
    expect(reported).toEqual([[[kiln], { status: 'active' }, true]]);
    const resource = { type: 'kiln', id: 'kiln_1', name: 'hot' };
    expect(started).toEqual([{ kind: createKind, input: {}, resource, isNew: true }]);
  });

  it('reports no cost for a resource that is free', async () => {
    reported.length = 0;
    await expect(create(false).handle(calling)).rejects.toThrow('stop here');
    expect(reported).toEqual([]);
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
