import type { OperationView } from '../../kernel/operations/schema.ts';

/** Builds the operation that API examples show for a resource. */
export function exampleOperation(
  type: string,
  { id, name }: { readonly id: string; readonly name: string },
  resourceType = type.split('.')[0] ?? '',
): OperationView {
  return {
    id: 'op_01jqzv2m7xe9rs5d3k8w4t6y0b',
    type,
    family: 'flexible-vps',
    status: 'queued',
    done: false,
    progress_percent: null,
    step: '',
    waiting_for: null,
    resource: { type: resourceType, id, name },
    related: [],
    warnings: [],
    cancellable: true,
    parent_id: null,
    children: null,
    error: null,
    result: null,
    actor: { kind: 'api_key', api_key_id: 'key_01jqzv2m7xe9rs5d3k8w4t6y0b', member_id: null },
    request_id: 'req_01jqzv2m7xe9rs5d3k8w4t6y0b',
    expected_seconds: 20,
    deadline_at: '2026-03-01T10:30:00.000Z',
    created_at: '2026-03-01T10:00:00.000Z',
    updated_at: '2026-03-01T10:00:00.000Z',
    started_at: null,
    finished_at: null,
    href: 'https://api.host.example/account/v1/operations/op_01jqzv2m7xe9rs5d3k8w4t6y0b',
    etag: 'queued.0.m8abc123',
  };
}
