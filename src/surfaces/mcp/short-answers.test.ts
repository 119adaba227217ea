/** Answers that cost few calls and few tokens. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { buildRegistry } from '../../kernel/registry.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import { brief } from './fields.ts';
import { sizeOf } from './fit.ts';
import type { Outcome } from './inner-call.ts';

const GONE = 'op_01jqzv2m7xe9rs5d3k8w4t6y0b';

let close: () => Promise<void>;
let agent: McpClient;
let vm: { id: string };

beforeAll(async () => {
  const there = await openAssistant({ works: true });
  ({ agent, close } = there);
  const { home } = there;
  vm = (await home.send('POST', 'vms', newMachine('web-1'), { prefer: 'wait=60' })).json();
});
afterAll(() => close?.());

it('describe_operations describes known operations, and names unknown ones', async () => {
  const { isError, json } = await agent.call('describe_operations', { ids: ['listVms', 'getVmm', 'getVm'] });
  expect(isError).toBe(false);
  expect(json.operations.map(({ operation }: { operation: string }) => operation)).toEqual([
    'listVms',
    'getVm',
  ]);
  expect(json.unknown).toMatchObject({
    code: 'unknown_operation',
    detail: 'There is no operation getVmm.',
    next_step: expect.stringContaining('getVm'),
  });
});

it('describe_operations suggests an operation for each unknown one, by letters or by words', async () => {
  const ids = ['listVms', 'getVmm', 'deleteServer'];
  const { json } = await agent.call('describe_operations', { ids });
  expect(json.unknown.next_step).toMatch(/^Did you mean getVm, deleteVm\?/);
});

it('wait_operations waits for the operations that exist, and reports the others as unknown', async () => {
  const body = { type: 'restart' };
  const { json } = await agent.call('call_write', {
    operation: 'performVmAction',
    path: { id: vm.id },
    body,
  });
  const operation_ids = [GONE, json.operation.id, 'foo'];
  const waited = await agent.call('wait_operations', { operation_ids, timeout_seconds: 60 });
  expect(waited.json).toMatchObject({
    all_done: false,
    unknown: 2,
    next_step: expect.stringContaining('Do not wait'),
    operations: [
      { id: GONE, status: 'unknown', code: 'not_found' },
      { status: 'succeeded' },
      { status: 'unknown', customer_text: { id: 'foo' } },
    ],
  });
});

it('a write answers with id, name, status and operation, not with the whole resource', async () => {
  const call = { operation: 'createVm', body: newMachine('short-1') };
  const { json } = await agent.call('call_write', call);
  expect(json).toMatchObject({
    data: { id: expect.stringMatching(/^vm_/), status: 'creating', customer_text: { name: 'short-1' } },
    operation: { id: expect.stringMatching(/^op_/) },
    price: { monthly: expect.any(String) },
  });
  // The first password is shown once, so that it must not be left out.
  expect(Object.keys(json.data).sort()).toEqual([
    'customer_text',
    'etag',
    'id',
    'initial_credentials',
    'status',
    'status_reason',
  ]);
});

const registry = buildRegistry(families);

it.each(registry.endpoints.filter(({ access }) => access !== 'read'))(
  '$id answers in few words',
  (endpoint) => {
    const { status, body } = endpoint.example.answer;
    const outcome: Outcome = { endpoint, status, headers: {}, body, isRefused: false, requestId: 'req' };
    expect(sizeOf(brief(outcome, registry.endpoints))).toBeLessThan(400);
  },
);

it('a write answers with the members in fields', async () => {
  const call = { operation: 'updateVm', path: { id: vm.id }, body: { description: 'x' }, fields: ['plan'] };
  expect((await agent.call('call_write', call)).json.data).toEqual({ id: vm.id, plan: 'flex-1-1' });
});

it.each([
  ['call_read', { operation: 'listVms' }],
  ['call_read', { operation: 'getVm', path: { id: 'web-1' } }],
  ['call_write', { operation: 'createVm', body: newMachine('never') }],
])('%s refuses fields that the answer does not have, with near names', async (tool, call) => {
  const { isError, json } = await agent.call(tool, { ...call, fields: ['id', 'statuss', 'zzz'] });
  expect(isError).toBe(true);
  expect(json).toMatchObject({ code: 'unknown_field', members: expect.arrayContaining(['status', 'plan']) });
  expect(json.detail).toMatch(/^fields\/1 is no member of the answer; did you mean status\? fields\/2 is no/);
});

it('fields always include the id', async () => {
  const { json } = await agent.call('call_read', { operation: 'listVms', fields: ['status'] });
  expect(json.data[0]).toEqual({ id: expect.stringMatching(/^vm_/), status: expect.any(String) });
});

it('metrics are averages, percentiles and maxima, and points only if a step is chosen', async () => {
  const call = { operation: 'getVmMetrics', path: { id: vm.id }, query: { metrics: ['cpu'] } };
  const { series } = (await agent.call('call_read', call)).json.data;
  expect(series[0]).toMatchObject({ metric: 'cpu', unit: 'percent', measured_points: expect.any(Number) });
  for (const name of ['avg', 'p95', 'max']) expect(series[0]).toHaveProperty(name);
  expect(series[0]).not.toHaveProperty('points');
  const chosen = { ...call, query: { metrics: ['cpu'], step_seconds: 600 } };
  expect((await agent.call('call_read', chosen)).json.data.series[0].points.length).toBeGreaterThan(0);
});

it('idle machines are found in one call', async () => {
  const call = { operation: 'getVmMetrics', path: { id: '*' }, query: { metrics: ['cpu'] } };
  const { isError, json } = await agent.call('call_read', call);
  expect(isError).toBe(false);
  const web = json.data.find((row: { of: { id: string } }) => row.of.id === vm.id);
  expect(web).toMatchObject({
    of: { status: 'running', customer_text: { name: 'web-1' } },
    data: { series: [{ metric: 'cpu', measured_points: expect.any(Number) }] },
  });
  const { data } = (await agent.call('call_read', { operation: 'listVms', fields: ['id'] })).json;
  expect(json.data.map((row: { of: { id: string } }) => row.of.id)).toEqual(
    data.map(({ id }: { id: string }) => id),
  );
});

it('a write with * as the id is refused', async () => {
  const call = { operation: 'updateVm', path: { id: '*' }, body: { description: 'all' } };
  expect((await agent.call('call_write', call)).json.code).toBe('not_found');
});

it('events come newest first, page by page', async () => {
  const first = (await agent.call('call_read', { operation: 'listEvents', limit: 2 })).json;
  const next = { operation: 'listEvents', limit: 2, cursor: first.next_cursor };
  const second = (await agent.call('call_read', next)).json;
  const sequences = [...first.data, ...second.data].map(({ sequence }: { sequence: number }) => sequence);
  expect(sequences).toEqual(sequences.toSorted((a: number, b: number) => b - a));
  expect(sequences).toHaveLength(4);
});
