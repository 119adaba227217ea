/**
 * Describes the events: one schema per event type, their union `Event` (discriminated by `type`), and one webhook per
 * event type. All of it comes from the declarations of the event types.
 */
import type { EventType } from '../../kernel/events/event.ts';
import { EventView, eventShape, eventShapeName, messageShape } from '../../kernel/events/schema.ts';
import type { Registry } from '../../kernel/registry.ts';
import { JSON_FORMAT } from '../../pipeline/format.ts';
import type { OpenApiDocument, Parameter, Reference, Response, Webhook } from './model.ts';
import { type NamedSchemas, schemaReference } from './schemas.ts';

type DeclaredType = EventType & { readonly family: string };

const referenceTo = (type: string): Reference => schemaReference(eventShapeName(type));

/** Describes `EventView`, which the answers contain, as the union of all event types. */
export function writeEvents({ eventTypes }: Registry, schemas: NamedSchemas): void {
  const types = [...eventTypes.values()];
  if (types.length === 0) return;
  schemas.describeAs(EventView, {
    title: 'Event',
    description:
      '`type` says which event it is and which members `data` has. New types may be added: ignore those you do not know.',
    oneOf: types.map(eventShape),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(types.map(({ type }) => [type, referenceTo(type).$ref])),
    },
  });
}

export function eventTypes(registry: Registry): OpenApiDocument['x-event-types'] {
  return Object.fromEntries(
    [...registry.eventTypes.values()].map(({ type, family, severity, when }) => [
      type,
      { family, severity, description: when, schema: referenceTo(type) },
    ]),
  );
}

const signatureParameters = {
  WebhookId: {
    name: 'webhook-id',
    description:
      'The id of the message. It stays the same when the message is sent again, so deduplicate on it.',
    example: 'msg_01jqzv9t5xe9rs5d3k8w4t6y0c',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    description:
      'When this attempt was sent, in seconds since 1970. Refuse times more than five minutes off.',
    example: '1763272800',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    description:
      'One or more signatures, separated by spaces: `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{raw body}` with the signing secret.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

export const webhookParameters: Readonly<Record<string, Parameter>> = Object.fromEntries(
  Object.entries(signatureParameters).map(([component, parameter]) => [
    component,
    { ...parameter, in: 'header', required: true, schema: { type: 'string' } },
  ]),
);

export const webhookResponses: Readonly<Record<string, Response>> = {
  WebhookDelivered: { description: 'The message counts as delivered.', headers: {} },
  WebhookFailed: {
    description:
      'The message failed and is sent again, up to ten times over three days. 410 disables the webhook.',
    headers: {},
  },
};

const parameterReferences: readonly Reference[] = Object.keys(webhookParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

function webhookOf(declared: DeclaredType, schemas: NamedSchemas): Webhook {
  const { type, when, family } = declared;
  return {
    post: {
      operationId: `on${eventShapeName(type)}`,
      summary: type,
      description: when,
      tags: [family],
      security: [],
      parameters: parameterReferences,
      requestBody: {
        required: true,
        content: { [JSON_FORMAT]: { schema: schemas.write(messageShape(declared)) } },
      },
      responses: {
        '2XX': { $ref: '#/components/responses/WebhookDelivered' },
        default: { $ref: '#/components/responses/WebhookFailed' },
      },
    },
  };
}

export function webhooks(registry: Registry, schemas: NamedSchemas): Record<string, Webhook> {
  return Object.fromEntries(
    [...registry.eventTypes.values()].map((type) => [type.type, webhookOf(type, schemas)]),
  );
}
