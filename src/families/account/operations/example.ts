import type { OperationView } from '../../../kernel/operations/schema.ts';
import type { Static } from '../../../kernel/schema.ts';

export const exampleOperation: Static<typeof OperationView> = {
  id: 'op_01jqzv9t5xe9rs5d3k8w4t6y0c',
  type: 'vm.create',
  family: 'flexible-vps',
  status: 'running',
  progress_percent: 40,
  step: 'boot',
  waiting_for: null,
  resource: { type: 'vm', id: 'vm_01jqzvbw8fh0xtq5a2k7r9t1mz', name: 'web-1' },
  related: [],
  warnings: [],
  cancellable: true,
  parent_id: null,
  children: null,
  error: null,
  result: null,
  actor: {
    kind: 'api_key',
    api_key_id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
    member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c',
  },
  request_id: 'req_01jqzv9t5xe9rs5d3k8w4t6y0b',
  expected_seconds: 30,
  deadline_at: '2026-03-01T10:15:00.000Z',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:12.000Z',
  started_at: '2026-03-01T10:00:00.000Z',
  finished_at: null,
  href: 'https://api.example.com/account/v1/operations/op_01jqzv9t5xe9rs5d3k8w4t6y0c',
  etag: 'running.1.mm7k3q2w',
};
