/** The representation of events in the feed, the streams and the webhooks. */
import type { Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';
import { Id, Named, Nullable, OneOf, Shape, type Static, Time, Type } from '../schema.ts';
import { severities } from './event.ts';

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
    resource: Nullable(
      Shape({ type: Type.String(), id: Nullable(Type.String()), name: Nullable(Type.String()) }),
    ),
    operation_id: Nullable(Id('op')),
    actor: Shape({
      kind: OneOf(['api_key', 'member', 'system', 'provider_staff']),
      api_key_id: Nullable(Type.String()),
      member_id: Nullable(Type.String()),
    }),
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
