/** The representation of operations, the same for all families. */
import type { Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';
import { Actor } from '../audit/entry.ts';
import { Warning } from '../effect.ts';
import { type ProblemCode, problems } from '../problems/catalogue.ts';
import { ResourceReference } from '../resource-ref.ts';
import {
  CreatedAt,
  Etag,
  Id,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../schema.ts';

const statusMeanings = {
  queued: 'Waits for a worker, or for earlier operations on the same resource.',
  running: 'A worker does the work.',
  cancelling: 'It was cancelled and rolls back what it had created.',
  succeeded: 'The work is done.',
  failed: 'The work was not done; `error` says why.',
  cancelled: 'It was cancelled, and what it had created is removed.',
} as const;
export type OperationStatus = keyof typeof statusMeanings;
export const OperationStatusShape = Named(
  'OperationStatus',
  OneOf(statusMeanings, {
    description: 'How far the operation is. `succeeded`, `failed` and `cancelled` are final.',
  }),
);

export const hasEnded = (status: OperationStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

const failureMeanings = {
  keep: 'The resource stays, with a status that says that it failed. Read why, then delete it.',
  delete:
    'Nothing stays: the resource is deleted, and its name and its share of the limits are free again. A call that waits gets the failure as a problem.',
} as const;
export type OnFailure = keyof typeof failureMeanings;

/** The query parameter of all calls that create a resource with an operation. */
export const OnFailureParameter = OneOf(failureMeanings, {
  default: 'keep',
  description: 'What happens to the resource if the call is accepted, but the resource cannot be created.',
});

/** Errors of downloads from a URL that the customer gave. */
const downloadCodes = [
  'fetch_failed',
  'http_status',
  'too_large',
  'checksum_mismatch',
  'blocked_address',
  'too_slow',
  'unsupported_format',
  'not_an_iso',
] as const;

export const isOfDownload = (code: string): boolean => downloadCodes.some((each) => each === code);

/** The error codes of operations, in addition to the problem codes of calls. */
const ownCodes = [
  'timeout',
  'shutdown_timeout',
  'guest_refused_detach',
  'engine_failed',
  'approval_denied',
  'approval_expired',
  'child_failed',
  ...downloadCodes,
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
    id: OwnId('op'),
    type: Type.String({ description: 'The kind of operation, such as `vm.create`.' }),
    family: Type.String({ description: 'The product family of the resource, such as `flexible-vps`.' }),
    status: OperationStatusShape,
    done: Type.Boolean({
      description: 'Whether the operation has ended: its status is `succeeded`, `failed` or `cancelled`.',
    }),
    progress_percent: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        'x-unit': 'percent',
        description: 'The part of the work that is done; null if it is not known.',
      }),
    ),
    step: Type.String({ description: 'The current step; empty before the operation starts.' }),
    waiting_for: Nullable(
      Type.String({
        description: 'What the operation waits for before it goes on; null if it waits for nothing.',
      }),
    ),
    resource: { ...ResourceReference, description: 'The resource that the operation works on.' },
    related: Type.Array(
      Shape({
        type: Type.String({ description: 'The type of the other resource, such as `snapshot`.' }),
        id: Type.String({ description: 'The id of the other resource.' }),
      }),
      { description: 'Other resources that the operation uses or changes.' },
    ),
    warnings: Type.Array(Warning, { description: 'What the call that started it was warned of.' }),
    cancellable: Type.Boolean({ description: 'Whether it can be cancelled now.' }),
    parent_id: Nullable(
      Id('op', {
        description: 'The operation that started this one as its part; null if a call started it.',
      }),
    ),
    children: Nullable(
      Shape(
        {
          type: Nullable(
            Type.String({
              description:
                'What each of them does, such as `vm.power_on`; null if they differ, or if none has started.',
            }),
          ),
          total: Type.Integer({ description: 'The number of all child operations.' }),
          succeeded: Type.Integer({ description: 'Child operations that have succeeded.' }),
          failed: Type.Integer({ description: 'Child operations that failed or were cancelled.' }),
          pending: Type.Integer({
            description: 'Child operations that have not ended, or that were never started.',
          }),
        },
        { description: 'How many operations this one has started as its parts; null if none.' },
      ),
    ),
    error: Nullable(
      Shape(
        {
          code: Type.String({
            description: 'The reason: a problem code, or a code of operations such as `timeout`.',
          }),
          detail: Type.String({ description: 'What went wrong in this case, in words.' }),
          retryable: Type.Boolean({ description: 'Whether the same call may succeed if you make it again.' }),
        },
        { description: 'Why the operation failed; null if it did not fail.' },
      ),
    ),
    result: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        required: ['changed'],
        properties: {
          changed: {
            type: 'boolean',
            description: 'False if the resource already was as the call wanted it.',
          },
        },
        additionalProperties: true,
        description:
          'The result; null until the operation has succeeded. The type decides the other members.',
      }),
    ),
    actor: Actor,
    request_id: Nullable(
      Type.String({ description: 'The `X-Request-Id` of the call that started it; null if no call did.' }),
    ),
    expected_seconds: Nullable(
      Type.Integer({
        'x-unit': 'seconds',
        description: 'How long such an operation usually takes; null if unknown.',
      }),
    ),
    deadline_at: {
      ...Time,
      description: 'If the work is not done by then, the operation fails with `timeout`.',
    },
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    started_at: Nullable({
      ...Time,
      description: 'When a worker began; null while the operation is queued.',
    }),
    finished_at: Nullable({ ...Time, description: 'When it ended; null while it has not.' }),
    href: Type.String({ format: 'uri', description: 'The URL of the operation, for `getOperation`.' }),
    etag: Etag,
  }),
  { columns: ['type', 'resource', 'status', 'progress_percent', 'actor', 'created_at'] },
);
export type OperationView = Static<typeof OperationView>;

/** The member `operation` of resources. */
export const PendingOperation = Named(
  'PendingOperation',
  Nullable({
    ...OperationView,
    ...volatile,
    description: 'The operation that works on the resource now; null if there is none.',
  }),
);

export const operationUrl = (baseUrl: string, id: string): string => `${baseUrl}/account/v1/operations/${id}`;

export interface ChildCounts {
  readonly type: string | null;
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
