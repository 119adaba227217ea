import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../../engines/compute/sandbox/store.ts';
import type { OperationView } from '../../../../kernel/operations/schema.ts';
import { createTestApp, type TestApp } from '../../../../testing/app.ts';
import { settle, until } from '../../../../testing/operations.ts';
import { VpsAccount } from '../../../../testing/vps.ts';
import { vms } from '../../vms/resource.ts';
import type { Vm } from '../../vms/schema.ts';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  vps = await VpsAccount.open(app);
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const bulk = (body: object) => vps.send('POST', 'bulk-actions', body);

async function done(body: object): Promise<{ parent: OperationView; children: OperationView[] }> {
  const answer = await bulk(body);
  expect(answer.statusCode, answer.body).toBe(202);
  const { id } = answer.json<OperationView>();
  await settle(app);
  const get = (path: string) =>
    app.call({ method: 'GET', url: `/account/v1/operations${path}`, key: vps.key });
  const parent = (await get(`/${id}`)).json<OperationView>();
  const listed = (await get('?limit=200')).json<{ data: OperationView[] }>().data;
  return { parent, children: listed.filter(({ parent_id }) => parent_id === id) };
}

async function machines(count: number, body: object = {}): Promise<Vm[]> {
  const made: Vm[] = [];
  for (let i = 0; i < count; i++) made.push(await vps.vm({ plan: 'flex-1-1', ...body }));
  return made;
}

const idsOf = (vms: readonly Vm[]): string[] => vms.map(({ id }) => id);
const statesOf = async (vms: readonly Vm[]): Promise<string[]> => {
  const states: string[] = [];
  for (const { id } of vms) states.push((await vps.readVm(id)).status);
  return states;
};

const fieldsOf = (body: string) =>
  (JSON.parse(body) as { errors: { pointer: string; code: string }[] }).errors.map(({ pointer, code }) => ({
    pointer,
    code,
  }));

describe('a bulk action', () => {
  it('starts one operation for each named machine, and a parent for all of them', async () => {
    const vms = await machines(3);
    const { parent, children } = await done({ type: 'shutdown', vm_ids: idsOf(vms) });
    expect(parent).toMatchObject({
      type: 'vm.bulk_power',
      status: 'succeeded',
      resource: { type: 'vm', id: null },
      children: { type: 'vm.shutdown', total: 3, succeeded: 3, failed: 0, pending: 0 },
      result: { changed: true, total: 3, succeeded: 3, failed: 0 },
    });
    expect(children.map(({ type, resource }) => [type, resource.id]).sort()).toEqual(
      idsOf(vms)
        .map((id) => ['vm.shutdown', id])
        .sort(),
    );
    expect(children.map(({ request_id }) => request_id)).toEqual(children.map(() => parent.request_id));
    expect(await statesOf(vms)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('applies to the machines that the selector matches at that moment', async () => {
    const chosen = await machines(2, { labels: { role: 'web' } });
    const other = await machines(1, { labels: { role: 'db' } });
    const { children } = await done({ type: 'power_off', label_selector: 'role=web' });
    expect(children.map(({ resource }) => resource.id).sort()).toEqual(idsOf(chosen).sort());
    expect(await statesOf([...chosen, ...other])).toEqual(['stopped', 'stopped', 'running']);
  });

  it('runs at most max_parallel operations at the same time', async () => {
    const vms = await machines(5);
    await addFault(app.services.db, { call: 'ensureStopped', effect: { kind: 'slow', seconds: 0.02 } });
    let most = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const open = await app.services.db
          .selectFrom('operations')
          .select('id')
          .where('account_id', '=', vps.account.id)
          .where('parent_id', 'is not', null)
          .where('finished_at', 'is', null)
          .execute();
        most = Math.max(most, open.length);
      }
    })();
    const { parent } = await done({ type: 'power_off', vm_ids: idsOf(vms), max_parallel: 2 });
    isOver = true;
    await watching;
    expect(parent.children).toMatchObject({ total: 5, succeeded: 5 });
    expect(most).toBe(2);
  });

  it('has a failed child, with the code of the single call, for each machine that cannot do it', async () => {
    const [running, stopped, busy, broken] = (await machines(4)) as [Vm, Vm, Vm, Vm];
    await vps.do('POST', `vms/${stopped.id}/actions`, { type: 'power_off' });
    await app.services.db.updateTable('vms').set({ status: 'error' }).where('id', '=', broken.id).execute();
    const other = await vps.send('POST', `vms/${busy.id}/actions`, { type: 'shutdown' });
    // Keeps this operation queued until the bulk action has ended.
    await app.services.db
      .updateTable('operations')
      .set({ is_ready: false })
      .where('id', '=', other.json<OperationView>().id)
      .execute();
    const { parent, children } = await done({
      type: 'restart',
      vm_ids: idsOf([running, stopped, busy, broken]),
    });
    expect(parent).toMatchObject({
      status: 'failed',
      error: { code: 'child_failed' },
      children: { total: 4, succeeded: 1, failed: 3, pending: 0 },
    });
    const codes = new Map(children.map(({ resource, error }) => [resource.id, error?.code ?? null]));
    expect(codes).toEqual(
      new Map([
        [running.id, null],
        [stopped.id, 'vm_not_running'],
        [busy.id, 'operation_in_progress'],
        [broken.id, 'invalid_state'],
      ]),
    );
    // The refused children did not change their machines.
    expect(await statesOf([running, stopped, busy, broken])).toEqual([
      'running',
      'stopped',
      'stopping',
      'error',
    ]);
  });

  it('has a child without a change for a machine that already has the wanted state', async () => {
    const vms = await machines(2);
    const { parent, children } = await done({ type: 'power_on', vm_ids: idsOf(vms) });
    expect(parent.status).toBe('succeeded');
    expect(children.map(({ result }) => result)).toEqual([{ changed: false }, { changed: false }]);
  });

  it('starts no further children after a failure if it is told to stop', async () => {
    const vms = await machines(4);
    const [first] = idsOf(vms).sort();
    await addFault(app.services.db, {
      call: 'ensureStopped',
      target: first ?? '',
      effect: { kind: 'fail', code: 'engine_failed', detail: 'No.' },
    });
    const { parent, children } = await done({
      type: 'power_off',
      vm_ids: idsOf(vms).sort(),
      max_parallel: 1,
      stop_on_failure: true,
    });
    expect(parent).toMatchObject({
      status: 'failed',
      error: { code: 'child_failed' },
      children: { total: 4, succeeded: 0, failed: 1, pending: 3 },
    });
    expect(parent.error?.detail).toContain('3 were not started');
    expect(children).toHaveLength(1);
    expect((await statesOf(vms)).sort()).toEqual(['running', 'running', 'running', 'running']);
  });

  it('finishes started children and starts no more when it is cancelled', async () => {
    const vms = await machines(3);
    await addFault(app.services.db, { call: 'ensureStopped', effect: { kind: 'slow', seconds: 0.3 } });
    const answer = await bulk({ type: 'power_off', vm_ids: idsOf(vms), max_parallel: 1 });
    const { id } = answer.json<OperationView>();
    const settled = settle(app);
    await until(app, id, ({ waiting_for }) => waiting_for === 'children');
    await app.call({ method: 'POST', url: `/account/v1/operations/${id}/cancel`, key: vps.key });
    await settled;
    expect(await vps.operation(id)).toMatchObject({ status: 'cancelled' });
    expect((await statesOf(vms)).filter((status) => status === 'running').length).toBeGreaterThanOrEqual(2);
  });
});

describe('a bulk action is refused with 422', () => {
  it('for machines that do not exist or belong to another account, each at its position', async () => {
    const [own] = (await machines(1)) as [Vm];
    const stranger = await (await VpsAccount.open(app)).vm();
    const answer = await bulk({
      type: 'restart',
      vm_ids: [own.id, stranger.id, 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b'],
    });
    expect(answer.statusCode).toBe(422);
    expect(fieldsOf(answer.body)).toEqual([
      { pointer: '/vm_ids/1', code: 'unknown_reference' },
      { pointer: '/vm_ids/2', code: 'unknown_reference' },
    ]);
  });

  it('for a selector that matches no machine', async () => {
    const answer = await bulk({ type: 'restart', label_selector: 'role=nobody' });
    expect(fieldsOf(answer.body)).toEqual([{ pointer: '/label_selector', code: 'out_of_range' }]);
  });

  it('for a selector that matches more than a hundred machines', async () => {
    const [vm] = (await machines(1)) as [Vm];
    const row = await app.services.db
      .selectFrom('vms')
      .selectAll()
      .where('id', '=', vm.id)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 100 }, (_, i) => ({
      ...row,
      id: vms.newId(),
      name: `copy-${i}`,
      image: JSON.stringify(row.image) as never,
    }));
    await app.services.db.insertInto('vms').values(copies).execute();
    const answer = await bulk({ type: 'restart', label_selector: '!nothing' });
    expect(fieldsOf(answer.body)).toEqual([{ pointer: '/label_selector', code: 'out_of_range' }]);
    await app.services.db
      .deleteFrom('vms')
      .where('id', '=', copies[0]?.id ?? '')
      .execute();
    expect((await bulk({ type: 'restart', label_selector: '!nothing' })).statusCode).toBe(202);
  });

  it.each([
    [{}, '/vm_ids', 'required'],
    [
      { vm_ids: ['vm_01jqzv2m7xe9rs5d3k8w4t6y0b'], label_selector: 'a=b' },
      '/label_selector',
      'mutually_exclusive',
    ],
    [{ label_selector: 'a=(b' }, '/label_selector', 'invalid_format'],
  ])('for %j', async (body, pointer, code) => {
    const answer = await bulk({ type: 'restart', ...body });
    expect(answer.statusCode).toBe(422);
    expect(fieldsOf(answer.body)).toEqual([{ pointer, code }]);
  });
});
