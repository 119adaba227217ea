import { mayLoosen } from '../../kernel/change-words/may-loosen.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { isValid } from '../../kernel/validation.ts';
import { costMark } from './cost-mark.ts';
import type { SharedExamples } from './examples.ts';
import type { Operation } from './model.ts';
import { parametersOf } from './parameters.ts';
import { ownCodes, type ProblemResponses } from './problems.ts';
import { resourceMark } from './resource-mark.ts';
import { successResponses } from './responses.ts';
import type { NamedSchemas } from './schemas.ts';

export interface Pages {
  readonly schemas: NamedSchemas;
  readonly problems: ProblemResponses;
  readonly examples: SharedExamples;
  readonly endpoints: readonly Endpoint[];
}

function describe({ description, permission, sensitive }: Endpoint): string {
  const warning = sensitive ? ', which is sensitive' : '';
  return [description, `Permission: \`${permission}\`${warning}.`].filter(Boolean).join('\n\n');
}

/** The API reads an absent body as `{}`, so the body is required only if `{}` is invalid. */
function requestBody({ body, example, method }: Endpoint, schemas: NamedSchemas): Partial<Operation> {
  if (body === undefined) return {};
  return {
    requestBody: {
      ...(method === 'PATCH' ? { description: 'A JSON merge patch (RFC 7396).' } : {}),
      required: !isValid(body, {}),
      content: {
        'application/json': {
          schema: schemas.write(body),
          ...(example.body === undefined ? {} : { example: example.body }),
        },
      },
    },
  };
}

export function operationOf(endpoint: Endpoint, pages: Pages): Operation {
  const { schemas, problems, endpoints } = pages;
  const { operation } = endpoint;
  const cost = costMark(endpoint, endpoints);
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: describe(endpoint),
    tags: [endpoint.resource.name],
    parameters: parametersOf(endpoint, schemas, endpoints),
    ...requestBody(endpoint, schemas),
    responses: { ...successResponses(endpoint, pages), ...problems.of(endpoint) },
    'x-problem-codes': ownCodes(endpoint),
    'x-permission': endpoint.permission,
    'x-access': endpoint.access,
    ...(endpoint.sensitive ? { 'x-sensitive': true as const } : {}),
    ...(mayLoosen(endpoint) ? { 'x-may-loosen': true as const } : {}),
    ...(operation
      ? {
          'x-operation': {
            kind: operation.type,
            typical_seconds: operation.typicalSeconds,
            cancellable: operation.cancellable,
            ...(endpoint.startsSometimes ? { sometimes: true as const } : {}),
          },
        }
      : {}),
    'x-resource': resourceMark(endpoint, endpoints),
    ...(cost === undefined ? {} : { 'x-cost': cost }),
  };
}
