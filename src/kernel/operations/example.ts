/** The operations that examples of the API show. */
import { exampleId } from '../examples.ts';
import type { Kind } from './kind.ts';
import type { OperationView } from './schema.ts';

const MOMENT = '2026-03-01T10:00:00.000Z';

/** An operation that has just been started on the resource of an example. */
export function exampleOperation(
  { type, family, resourceType }: Pick<Kind, 'type' | 'family' | 'resourceType'>,
  { id, name }: { readonly id: string; readonly name: string },
): OperationView {
  const operationId = exampleId('op');
  return {
    id: operationId,
    type,
    family,
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
    actor: { kind: 'api_key', api_key_id: exampleId('key'), member_id: null },
    request_id: exampleId('req'),
    expected_seconds: 20,
    deadline_at: '2026-03-01T10:30:00.000Z',
    created_at: MOMENT,
    updated_at: MOMENT,
    started_at: null,
    finished_at: null,
    href: `https://api.host.example/account/v1/operations/${operationId}`,
    etag: 'queued.0.m8abc123',
  };
}

/** The example of a resource while an operation of this kind works on it, with the members that differ meanwhile. */
export const during = <A extends { readonly id: string; readonly name: string }>(
  kind: Pick<Kind, 'type' | 'family' | 'resourceType'>,
  example: A,
  change: Partial<A>,
): A => ({ ...example, ...change, operation: exampleOperation(kind, example) });
