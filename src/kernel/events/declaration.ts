/** The event types of a resource, declared beside it by the last word of their names. */
import { Shape, type TSchema } from '../schema.ts';
import type { EventType, Severity } from './event.ts';

export interface EventDeclaration {
  /** One English sentence for the documents. */
  readonly when: string;
  /** `info`, unless another is given. */
  readonly severity?: Severity;
  /** Nothing, unless another shape is given. */
  readonly data?: TSchema;
}

const nothing = Shape({});

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
