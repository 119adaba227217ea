/** The representation of events in the feed, the streams and the webhooks. */
import type { Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';
import { Actor } from '../audit/entry.ts';
import { ResourceReference } from '../resource-ref.ts';
import {
  byOthers,
  Id,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  type TSchema,
  Type,
} from '../schema.ts';
import { type EventType, SeverityShape } from './event.ts';

const EventTime = Named('EventTime', { ...Time, description: 'When the event happened, in UTC.' });

export const EventView = Named(
  'Event',
  Shape({
    id: OwnId('evt'),
    sequence: Type.Integer({
      minimum: 1,
      description: 'The number of the event within the account, without gaps.',
    }),
    type: Type.String({ description: 'What happened, such as `vm.created`.' }),
    severity: SeverityShape,
    occurred_at: EventTime,
    family: Type.String({
      description: 'The product family that the event belongs to, such as `flexible-vps`.',
    }),
    resource: Nullable({
      ...ResourceReference,
      description: 'The resource that the event is about; null if it is about the account as a whole.',
    }),
    operation_id: Nullable(
      Id('op', { description: 'The operation that caused the event; null if none did.' }),
    ),
    actor: Actor,
    message: Type.String({ description: 'What happened, in one English sentence.' }),
    data: Type.Unsafe<Record<string, unknown>>({
      ...byOthers,
      type: 'object',
      additionalProperties: true,
      description: 'Details of the event; its members depend on the type.',
    }),
    schema_version: Type.Literal(1, { description: 'The version of this shape: always 1.' }),
  }),
  { columns: ['occurred_at', 'severity', 'resource', 'message'] },
);
export type EventView = Static<typeof EventView>;

/** `api_key.first_used` becomes `ApiKeyFirstUsedEvent`. */
export const eventShapeName = (type: string): string =>
  `${type.replace(/(?:^|[._])([a-z0-9])/g, (_, first: string) => first.toUpperCase())}Event`;

const { type: _type, data: _data, ...common } = EventView.properties;

/** The members that are the same for all types, so that the document describes them once. */
const EventMembers = Named('EventMembers', Type.Object(common, { description: 'What all events have.' }));

/** An event with this `data`: `EventView` of these types only. */
function eventWith(type: TSchema, data: TSchema, options: object): TSchema {
  return Type.Unsafe({
    allOf: [EventMembers],
    type: 'object',
    required: ['type', 'data'],
    properties: { type, data: 'title' in data ? data : { ...data, description: 'Its details.' } },
    unevaluatedProperties: false,
    ...options,
  });
}

/** An event of one type: `EventView` with the `data` of that type. */
export const eventShape = ({ type, when, data, severity }: EventType): TSchema =>
  Named(
    eventShapeName(type),
    eventWith(Type.Literal(type, { description: 'Which event.' }), data, {
      description: when,
      'x-severity': severity,
    }),
  );

/** Events of several types whose `data` has the same named shape: `OperationDetails` gives `OperationEvent`. */
export function eventShapeOf(title: string, data: TSchema, types: readonly EventType[]): TSchema {
  const meanings = Object.fromEntries(types.map(({ type, when }) => [type, when]));
  const severities = types.map(({ severity }) => severity);
  const type = OneOf(meanings, { 'x-enum-severities': severities, description: 'Which event it is.' });
  const description = `An event with the data \`${title}\`.`;
  return Named(title.replace(/(Details)?$/, 'Event'), eventWith(type, data, { description }));
}

/** The body of a webhook message, as Standard Webhooks defines it. */
export const MessageView = Named(
  'WebhookMessage',
  Shape({
    type: Type.String({ description: 'Which event it is, as in `data`.' }),
    timestamp: EventTime,
    data: EventView,
  }),
);

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
