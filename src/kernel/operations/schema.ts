/** The representation of operations, the same for all families. */
import type { Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';
import { Warning } from '../effect.ts';
import { type ProblemCode, problems } from '../problems/catalogue.ts';
import { Id, Named, Nullable, OneOf, Shape, type Static, Time, Type } from '../schema.ts';

export const operationStatuses = [
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type OperationStatus = (typeof operationStatuses)[number];

export const hasEnded = (status: OperationStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** The error codes of operations, in addition to the problem codes of calls. */
const ownCodes = [
  'timeout',
  'shutdown_timeout',
  'engine_failed',
  'approval_denied',
  'approval_expired',
  'child_failed',
  // Errors of downloads from a URL that the customer gave.
  'fetch_failed',
  'http_status',
  'too_large',
  'checksum_mismatch',
  'blocked_address',
  'unsupported_format',
] as const;
export type OperationErrorCode = ProblemCode | (typeof ownCodes)[number];
export const operationErrorCodes: readonly OperationErrorCode[] = [
  ...new Set<OperationErrorCode>([...ownCodes, ...(Object.keys(problems) as ProblemCode[])]),
];

export interface OperationError {
  readonly code: OperationErrorCode;
  readonly detail: string;
  readonly retryable: boolean;
}

export const OperationView = Named(
  'Operation',
  Shape({
    id: Id('op'),
    type: Type.String({ description: 'The kind of operation, such as `vm.create`.' }),
    family: Type.String(),
    status: OneOf(operationStatuses),
    done: Type.Boolean({
      description: 'Whether the operation has ended: its status is `succeeded`, `failed` or `cancelled`.',
    }),
    progress_percent: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
    step: Type.String({ description: 'The current step; empty before the operation starts.' }),
    waiting_for: Nullable(Type.String()),
    resource: Shape({
      type: Type.String(),
      id: Nullable(Type.String()),
      name: Nullable(Type.String()),
    }),
    related: Type.Array(Shape({ type: Type.String(), id: Type.String() })),
    warnings: Type.Array(Warning, { description: 'What the call that started it was warned of.' }),
    cancellable: Type.Boolean({ description: 'Whether it can be cancelled now.' }),
    parent_id: Nullable(Id('op')),
    children: Nullable(
      Shape({
        total: Type.Integer(),
        succeeded: Type.Integer(),
        failed: Type.Integer(),
        pending: Type.Integer(),
      }),
    ),
    error: Nullable(
      Shape({
        code: Type.String(),
        detail: Type.String(),
        retryable: Type.Boolean(),
      }),
    ),
    result: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        required: ['changed'],
        properties: { changed: { type: 'boolean' } },
        additionalProperties: true,
      }),
    ),
    actor: Shape({
      kind: OneOf(['api_key', 'member', 'system', 'provider_staff']),
      api_key_id: Nullable(Type.String()),
      member_id: Nullable(Type.String()),
    }),
    request_id: Nullable(Type.String()),
    expected_seconds: Nullable(Type.Integer()),
    deadline_at: Time,
    created_at: Time,
    updated_at: Time,
    started_at: Nullable(Time),
    finished_at: Nullable(Time),
    href: Type.String({ format: 'uri' }),
    etag: Type.String(),
  }),
);
export type OperationView = Static<typeof OperationView>;

export const operationUrl = (baseUrl: string, id: string): string => `${baseUrl}/account/v1/operations/${id}`;

export interface ChildCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly pending: number;
}

export type OperationRow = Selectable<Tables['operations']> & {
  readonly children?: ChildCounts | null | undefined;
};

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

export function presentOperation(row: OperationRow, baseUrl: string): OperationView {
  const { children } = row;
  return {
    id: row.id,
    type: row.type,
    family: row.family,
    status: row.status,
    done: hasEnded(row.status),
    progress_percent: row.progress_percent,
    step: row.started_at === null ? '' : row.step,
    waiting_for: row.waiting_for,
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    related: row.related,
    warnings: row.warnings,
    cancellable: row.cancellable && (row.status === 'queued' || row.status === 'running'),
    parent_id: row.parent_id,
    children: children == null || children.total === 0 ? null : children,
    error: row.error,
    result: row.result as OperationView['result'],
    actor: row.actor,
    request_id: row.request_id,
    expected_seconds: row.expected_seconds,
    deadline_at: row.deadline_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    started_at: timeOf(row.started_at),
    finished_at: timeOf(row.finished_at),
    href: operationUrl(baseUrl, row.id),
    etag: `${row.status}.${row.attempt}.${row.updated_at.getTime().toString(36)}`,
  };
}
