/**
 * Describes the events: one schema for the event types with the same data, their union `Event` (discriminated by `type`), and the webhook that
 * sends them. All of it comes from the declarations of the event types.
 */
import type { EventType } from '../../kernel/events/event.ts';
import { EventView, eventShape, eventShapeOf, MessageView } from '../../kernel/events/schema.ts';
import type { Registry } from '../../kernel/registry.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { JSON_FORMAT } from '../../pipeline/format.ts';
import type { Parameter, Reference, Response, Webhook } from './model.ts';
import { type NamedSchemas, schemaReference } from './schemas.ts';

const titleOf = (schema: TSchema): string | undefined => (schema as { title?: string }).title;

/** Event types whose data has the same named shape are one schema, so that the document describes the shape once. */
function groupByData(types: readonly EventType[]): EventType[][] {
  const groups = new Map<string, EventType[]>();
  for (const each of types) {
    const name = titleOf(each.data) ?? each.type;
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  return [...groups.values()];
}

function shapeOf(group: readonly EventType[]): TSchema {
  const [first] = group as [EventType];
  const title = titleOf(first.data);
  return group.length === 1 || title === undefined
    ? eventShape(first)
    : eventShapeOf(title, first.data, group);
}

/** Describes `EventView`, which the answers contain, as the union of all event types. */
export function writeEvents({ eventTypes }: Registry, schemas: NamedSchemas): void {
  const groups = groupByData([...eventTypes.values()]);
  if (groups.length === 0) return;
  const shapes = groups.map(shapeOf);
  const mapping = groups.flatMap((group, i) => {
    const { $ref } = schemaReference(titleOf(shapes[i] as TSchema) ?? '');
    return group.map(({ type }) => [type, $ref] as const);
  });
  schemas.describeAs(EventView, {
    title: 'Event',
    description:
      '`type` says which event it is and which members `data` has. New types may be added: ignore those you do not know.',
    oneOf: shapes,
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  });
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
  WebhookDelivered: { description: 'The message counts as delivered.' },
  WebhookFailed: {
    description:
      'The message failed and is sent again, up to ten times over three days. 410 disables the webhook.',
  },
};

const parameterReferences: readonly Reference[] = Object.keys(webhookParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

/** One webhook for all event types: `data` of the message is the union `Event`. */
export function webhooks(registry: Registry, schemas: NamedSchemas): Record<string, Webhook> {
  if (registry.eventTypes.size === 0) return {};
  return {
    event: {
      post: {
        operationId: 'onEvent',
        summary: 'A message about an event',
        description: 'What your webhooks receive. `data` is the event, and `type` says which event it is.',
        tags: ['webhook'],
        security: [],
        parameters: parameterReferences,
        requestBody: {
          required: true,
          content: { [JSON_FORMAT]: { schema: schemas.write(MessageView) } },
        },
        responses: {
          '2XX': { $ref: '#/components/responses/WebhookDelivered' },
          default: { $ref: '#/components/responses/WebhookFailed' },
        },
      },
    },
  };
}
