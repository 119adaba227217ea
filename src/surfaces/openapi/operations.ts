import type { Endpoint } from '../../kernel/record.ts';
import { isValid } from '../../kernel/validation.ts';
import { costMark } from './cost-mark.ts';
import type { Operation } from './model.ts';
import { parametersOf } from './parameters.ts';
import type { ProblemResponses } from './problems.ts';
import { resourceMark } from './resource-mark.ts';
import { successResponses } from './responses.ts';
import type { NamedSchemas } from './schemas.ts';

export interface Pages {
  readonly schemas: NamedSchemas;
  readonly problems: ProblemResponses;
  readonly currency: string;
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
      ...(method === 'PATCH'
        ? {
            description:
              'A JSON merge patch (RFC 7396): members you leave out stay unchanged. `application/merge-patch+json` is accepted as well.',
          }
        : {}),
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

export function operationOf(
  endpoint: Endpoint,
  { schemas, problems, currency, endpoints }: Pages,
): Operation {
  const { operation } = endpoint;
  const cost = costMark(endpoint, endpoints);
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: describe(endpoint),
    tags: [endpoint.family],
    security: [{ apiKey: [] }],
    parameters: parametersOf(endpoint, schemas),
    ...requestBody(endpoint, schemas),
    responses: { ...successResponses(endpoint, schemas, currency), ...problems.of(endpoint) },
    'x-permission': endpoint.permission,
    'x-access': endpoint.access,
    'x-sensitive': endpoint.sensitive ?? false,
    ...(operation
      ? {
          'x-operation': {
            kind: operation.type,
            typical_seconds: operation.typicalSeconds,
            cancellable: operation.cancellable,
          },
        }
      : {}),
    'x-resource': resourceMark(endpoint, endpoints),
    ...(cost === undefined ? {} : { 'x-cost': cost }),
  };
}
