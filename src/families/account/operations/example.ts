import { exampleOperation as started } from '../../../kernel/operations/example.ts';
import type { OperationView } from '../../../kernel/operations/schema.ts';

const id = 'op_01jqzv9t5xe9rs5d3k8w4t6y0c';

export const exampleOperation: OperationView = {
  ...started(
    { type: 'vm.create', family: 'flexible-vps', resourceType: 'vm' },
    { id: 'vm_01jqzvbw8fh0xtq5a2k7r9t1mz', name: 'web-1' },
  ),
  id,
  status: 'running',
  progress_percent: 40,
  step: 'boot',
  actor: {
    kind: 'api_key',
    api_key_id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
    member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c',
  },
  request_id: 'req_01jqzv9t5xe9rs5d3k8w4t6y0b',
  expected_seconds: 30,
  deadline_at: '2026-03-01T10:15:00.000Z',
  updated_at: '2026-03-01T10:00:12.000Z',
  started_at: '2026-03-01T10:00:00.000Z',
  href: `https://api.host.example/account/v1/operations/${id}`,
  etag: 'running.1.mm7k3q2w',
};
