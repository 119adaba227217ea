/** Builds the event types of a resource from its declaration, which has the last part of each type name as its key: `created` for `vm.created`. */
import { Named, Shape, type TSchema } from '../schema.ts';
import type { EventType, Severity } from './event.ts';

export interface EventDeclaration {
  /** When the event occurs: one English sentence for the API documentation. */
  readonly when: string;
  /** Default: `info`. */
  readonly severity?: Severity;
  /** The shape of `data`. Default: an empty object. */
  readonly data?: TSchema;
}

/** The `data` of events that have no details. */
export const nothing = Named('PlainDetails', Shape({}, { description: 'These events have no details.' }));

export function eventTypesOf(
  resourceType: string,
  declared: Readonly<Record<string, EventDeclaration>>,
): EventType[] {
  return Object.entries(declared).map(([name, { when, severity = 'info', data = nothing }]) => ({
    type: `${resourceType}.${name}`,
    severity,
    when,
    data,
  }));
}
