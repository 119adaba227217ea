/** Describes the success responses of an endpoint, including dry runs and 304. */
import type { EffectView } from '../../kernel/effect-view.ts';
import { takesIdempotencyKey } from '../../kernel/problems/possible.ts';
import {
  type Endpoint,
  isAsync,
  isWrite,
  type ResourceRole,
  type SuccessStatus,
} from '../../kernel/record.ts';
import type { Static } from '../../kernel/schema.ts';
import { formatMoney, formatRate } from '../../money/prices/format.ts';
import { DryRun } from '../../pipeline/dry-run.ts';
import { DRY_RUN_FORMAT, JSON_FORMAT } from '../../pipeline/format.ts';
import { EVENT_STREAM } from '../../pipeline/input.ts';
import { type HeaderName, headerReferences, onEveryAnswer } from './headers.ts';
import type { MediaType, Response } from './model.ts';
import { isVersioned } from './parameters.ts';
import { hasMember, type NamedSchemas } from './schemas.ts';

const actions: Readonly<Record<ResourceRole, EffectView['action']>> = {
  list: 'start',
  read: 'start',
  create: 'create',
  update: 'update',
  declare: 'update',
  delete: 'delete',
  action: 'start',
};

function lossOf(action: EffectView['action'], type: string): EffectView['loss'] {
  if (action === 'wipe_disk') return { what: 'All data on the disk (80 GB).', recoverable: false };
  if (action === 'delete') return { what: `The ${type.replaceAll('_', ' ')}.`, recoverable: false };
  return null;
}

function dryRunExample({ resource, example, access }: Endpoint, currency: string): Static<typeof DryRun> {
  const isWipe = access === 'destructive' && resource.role === 'action';
  const action = isWipe ? 'wipe_disk' : actions[resource.role];
  const id = action === 'create' ? null : (example.params?.['id'] ?? null);
  return {
    dry_run: true,
    valid: true,
    cost: { hourly: formatRate(0n), monthly: formatMoney(0n), currency },
    exceeds_budgets: [],
    effects: [{ action, type: resource.name, id, name: null, loss: lossOf(action, resource.name) }],
    warnings: [],
  };
}

function describe(endpoint: Endpoint, status: SuccessStatus): string {
  switch (status) {
    case 200:
      if (isAsync(endpoint)) return 'With `Prefer: wait=N`: the answer after the operation has ended.';
      return endpoint.resource.role === 'list' ? 'One page of the list.' : 'Done.';
    case 201:
      return 'Created.';
    case 202:
      return endpoint.operation === undefined
        ? 'Accepted: the work is done soon after this answer.'
        : 'Accepted: the resource as it is now, with the pending operation.';
    case 204:
      return 'Done; there is nothing to return.';
  }
}

function headersOf(endpoint: Endpoint, status: SuccessStatus): HeaderName[] {
  const schema = endpoint.answers[status];
  return [
    ...onEveryAnswer,
    'CacheControl',
    ...(hasMember(schema, 'etag') ? (['ETag'] as const) : []),
    ...(hasMember(schema, 'next_cursor') && !endpoint.waits ? (['Link'] as const) : []),
    ...(status === 202 && isAsync(endpoint) ? (['OperationLocation'] as const) : []),
    ...(isWrite(endpoint) ? (['Warnings'] as const) : []),
    ...(takesIdempotencyKey(endpoint) ? (['IdempotentReplayed'] as const) : []),
    ...(endpoint.waits || isAsync(endpoint) ? (['PreferenceApplied'] as const) : []),
  ];
}

const asText: MediaType = { schema: { type: 'string' } };

const otherFormats = ({ stream, formats }: Endpoint, status: SuccessStatus): string[] => [
  ...(stream ? [EVENT_STREAM] : []),
  ...(status === 200 ? Object.keys(formats) : []),
];

function success(endpoint: Endpoint, status: SuccessStatus, schemas: NamedSchemas): Response {
  const schema = endpoint.answers[status];
  const { answer } = endpoint.example;
  const example = answer.status === status ? { example: answer.body } : {};
  return {
    description: describe(endpoint, status),
    headers: headerReferences(headersOf(endpoint, status)),
    ...(schema
      ? {
          content: {
            [JSON_FORMAT]: { schema: schemas.write(schema), ...example },
            ...Object.fromEntries(otherFormats(endpoint, status).map((format) => [format, asText])),
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
  const description = `With \`dry_run=true\`: what the call would do, as \`${DRY_RUN_FORMAT}\`. A client whose \`Accept\` names only \`${JSON_FORMAT}\` gets the same body with that type.`;
  return {
    headers: headerReferences([...onEveryAnswer, 'CacheControl']),
    ...answer,
    description: answer === undefined ? description : `${answer.description} ${description}`,
    content: { ...answer?.content, [DRY_RUN_FORMAT]: dryRun },
  };
}

export function successResponses(
  endpoint: Endpoint,
  schemas: NamedSchemas,
  currency: string,
): Record<string, Response> {
  const statuses = Object.keys(endpoint.answers).map(Number) as SuccessStatus[];
  const responses: Record<string, Response> = Object.fromEntries(
    statuses.map((status) => [String(status), success(endpoint, status, schemas)]),
  );
  if (isWrite(endpoint)) {
    const dryRun = { schema: schemas.write(DryRun), example: dryRunExample(endpoint, currency) };
    responses['200'] = withDryRun(responses['200'], dryRun);
  }
  if (isVersioned(endpoint)) {
    responses['304'] = {
      description: 'Not changed since the version in `If-None-Match`.',
      headers: headerReferences([...onEveryAnswer, 'CacheControl', 'ETag']),
    };
  }
  return responses;
}
