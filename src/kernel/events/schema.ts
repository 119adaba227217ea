/** The representation of events in the feed, the streams and the webhooks. */
import type { Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';
import { Id, Named, Nullable, OneOf, Shape, type Static, Time, type TSchema, Type } from '../schema.ts';
import { type EventType, severities } from './event.ts';

const EventResource = Named(
  'EventResource',
  Shape({ type: Type.String(), id: Nullable(Type.String()), name: Nullable(Type.String()) }),
);

const EventActor = Named(
  'EventActor',
  Shape({
    kind: OneOf(['api_key', 'member', 'system', 'provider_staff']),
    api_key_id: Nullable(Type.String()),
    member_id: Nullable(Type.String()),
  }),
);

export const EventView = Named(
  'Event',
  Shape({
    id: Id('evt'),
    sequence: Type.Integer({
      minimum: 1,
      description: 'The number of the event within the account, without gaps.',
    }),
    type: Type.String({ description: 'What happened, such as `vm.created`.' }),
    severity: OneOf(severities),
    occurred_at: Time,
    family: Type.String(),
    resource: Nullable(EventResource),
    operation_id: Nullable(Id('op')),
    actor: EventActor,
    message: Type.String({ description: 'One English sentence.' }),
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Details of the event; its members depend on the type.',
    }),
    schema_version: Type.Literal(1),
  }),
);
export type EventView = Static<typeof EventView>;

/** `api_key.first_used` becomes `ApiKeyFirstUsedEvent`. */
export const eventShapeName = (type: string): string =>
  `${type.replace(/(?:^|[._])([a-z0-9])/g, (_, first: string) => first.toUpperCase())}Event`;

/** An event of one type: `EventView` with the `data` of that type. */
export const eventShape = ({ type, when, data }: EventType): TSchema =>
  Named(
    eventShapeName(type),
    Shape({ ...EventView.properties, type: Type.Literal(type), data }, { description: when }),
  );

/** The body of a webhook message, as Standard Webhooks defines it. */
export const messageShape = (type: EventType): TSchema =>
  Shape({ type: Type.Literal(type.type), timestamp: Time, data: eventShape(type) });

export type EventRow = Omit<Selectable<Tables['events']>, 'account_id'>;

export function presentEvent(row: EventRow): EventView {
  return {
    id: row.id,
    sequence: row.sequence,
    type: row.type,
    severity: row.severity,
    occurred_at: row.occurred_at.toISOString(),
    family: row.family,
    resource:
      row.resource_type === null
        ? null
        : { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    operation_id: row.operation_id,
    actor: row.actor,
    message: row.message,
    data: row.data,
    schema_version: 1,
  };
}
