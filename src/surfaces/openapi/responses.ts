/** Describes the success responses of an endpoint, including dry runs and 304. */
import { takesIdempotencyKey } from '../../kernel/problems/possible.ts';
import { type Endpoint, isAsync, isWrite, type SuccessStatus, showsStatus } from '../../kernel/record.ts';
import { DryRun } from '../../pipeline/dry-run-shape.ts';
import { DRY_RUN_FORMAT, JSON_FORMAT } from '../../pipeline/format.ts';
import { EVENT_STREAM } from '../../pipeline/input.ts';
import type { SharedExamples } from './examples.ts';
import { type HeaderName, headersWith } from './headers.ts';
import type { MediaType, Response } from './model.ts';
import { isVersioned } from './parameters.ts';
import { hasMember, type NamedSchemas } from './schemas.ts';

function describe(endpoint: Endpoint, status: SuccessStatus): string {
  switch (status) {
    case 200:
      if (endpoint.startsSometimes) return 'Done. With `Prefer: wait=N`, also after an operation.';
      if (isAsync(endpoint)) return 'With `Prefer: wait=N`: after the operation.';
      return endpoint.resource.role === 'list' ? 'One page of the list.' : 'Done.';
    case 201:
      return 'Created.';
    case 202:
      return endpoint.operation === undefined
        ? 'Accepted: the work is done soon after this answer.'
        : 'Accepted: the resource with its pending operation.';
    case 204:
      return 'Done; there is nothing to return.';
  }
}

function headersOf(endpoint: Endpoint, status: SuccessStatus): HeaderName[] {
  const schema = endpoint.answers[status];
  return [
    ...(hasMember(schema, 'etag') ? (['ETag'] as const) : []),
    ...(hasMember(schema, 'next_cursor') && !endpoint.waits ? (['Link'] as const) : []),
    ...(status === 202 && isAsync(endpoint) ? (['OperationLocation'] as const) : []),
    ...(showsStatus(endpoint, status) ? (['OperationStatus'] as const) : []),
    ...(takesIdempotencyKey(endpoint) ? (['IdempotentReplayed'] as const) : []),
    ...(endpoint.waits || isAsync(endpoint) ? (['PreferenceApplied'] as const) : []),
  ];
}

const asText: MediaType = { schema: { type: 'string' } };
const asPicture: MediaType = { schema: { type: 'string', contentMediaType: 'image/png' } };
const otherMedia = (format: string): MediaType => (format.startsWith('image/') ? asPicture : asText);

const otherFormats = ({ stream, formats }: Endpoint, status: SuccessStatus): string[] => [
  ...(stream ? [EVENT_STREAM] : []),
  ...(status === 200 ? Object.keys(formats) : []),
];

interface Shared {
  readonly schemas: NamedSchemas;
  readonly examples: SharedExamples;
}

function success(endpoint: Endpoint, status: SuccessStatus, { schemas, examples }: Shared): Response {
  const schema = endpoint.answers[status];
  const written = schema ? schemas.write(schema) : {};
  const example = endpoint.example.answer.status === status ? examples.of(endpoint, written) : {};
  return {
    description: describe(endpoint, status),
    ...headersWith(headersOf(endpoint, status)),
    ...(schema
      ? {
          content: {
            [JSON_FORMAT]: { schema: written, ...example },
            ...Object.fromEntries(
              otherFormats(endpoint, status).map((format) => [format, otherMedia(format)]),
            ),
          },
        }
      : {}),
  };
}

/**
 * Adds the answer to a dry run to the 200 response. It has its own media type: a union with the answer of the call would
 * give generated clients one type for both.
 */
function withDryRun(answer: Response | undefined, dryRun: MediaType): Response {
  const description = 'With `dry_run=true`: what the call would do.';
  return {
    ...answer,
    description: answer === undefined ? description : `${answer.description} ${description}`,
    content: { ...answer?.content, [DRY_RUN_FORMAT]: dryRun },
  };
}

export function successResponses(endpoint: Endpoint, shared: Shared): Record<string, Response> {
  const statuses = Object.keys(endpoint.answers).map(Number) as SuccessStatus[];
  const responses: Record<string, Response> = Object.fromEntries(
    statuses.map((status) => [String(status), success(endpoint, status, shared)]),
  );
  if (isWrite(endpoint)) {
    responses['200'] = withDryRun(responses['200'], { schema: shared.schemas.write(DryRun) });
  }
  if (isVersioned(endpoint)) {
    responses['304'] = {
      description: 'Not changed since the version in `If-None-Match`.',
      ...headersWith(['ETag']),
    };
  }
  return responses;
}
