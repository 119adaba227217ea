/** Events for the feed, the streams and the webhooks. Each event type is declared once, by its family. */
import type { ResourceRef } from '../resource-ref.ts';
import { keysOf, Named, OneOf, type TSchema } from '../schema.ts';

const severityMeanings = {
  info: 'Something happened as it should.',
  warning: 'Somebody should look at it; nothing is broken yet.',
  error: 'Something failed or no longer works.',
} as const;
export const severities = keysOf(severityMeanings);
export type Severity = keyof typeof severityMeanings;
export const SeverityShape = Named(
  'Severity',
  OneOf(severityMeanings, { description: 'How serious the event is.' }),
);

export interface EventType {
  /** `<resource_type>.<past participle>`; never renamed inside v1. */
  readonly type: string;
  readonly severity: Severity;
  readonly when: string;
  /** The schema of `data`. It must hold no secrets and at most 16 KiB. */
  readonly data: TSchema;
}

export interface EventActor {
  readonly kind: 'api_key' | 'member' | 'system' | 'provider_staff';
  readonly api_key_id: string | null;
  readonly member_id: string | null;
}

export const HOSTPLANE: EventActor = { kind: 'system', api_key_id: null, member_id: null };

export interface NewEvent {
  readonly type: string;
  /** Overrides the severity of the event type. */
  readonly severity?: Severity;
  readonly resource: ResourceRef | null;
  readonly operationId?: string | null;
  /** One English sentence. */
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
