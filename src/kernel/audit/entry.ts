/** Audit entries of writes and of reads of secrets. Each hash includes the previous one, so recomputing the chain reveals a changed entry. */
import { createHash } from 'node:crypto';
import type { EffectView } from '../effect-view.ts';
import type { ResourceRef } from '../resource-ref.ts';
import { Id, Named, Nullable, OneOf, Shape } from '../schema.ts';
import { canonicalJson } from './canonical-json.ts';

export interface AuditChange {
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditActor {
  readonly kind: ActorKind;
  readonly api_key_id: string | null;
  readonly member_id: string | null;
  readonly name: string;
}

const outcomeMeanings = {
  accepted: 'The call was accepted, and an operation does the work (202).',
  succeeded: 'The change was made, or the secret was shown.',
  rejected: 'The call was refused (4xx), and nothing changed.',
  failed: 'The server failed (5xx).',
} as const;
export type AuditOutcome = keyof typeof outcomeMeanings;
export const AuditOutcomeShape = Named(
  'AuditOutcome',
  OneOf(outcomeMeanings, { description: 'How the call ended.' }),
);
const sourceMeanings = {
  api: 'A call with an API key.',
  mcp: 'A call with an API key that an AI assistant made through MCP.',
  portal: 'A member of the account, without an API key.',
  system: 'The system itself, or a person who works for the provider.',
} as const;
export const AuditSource = OneOf(sourceMeanings, { description: 'Where the change came from.' });

const actorMeanings = {
  api_key: 'An API key of the account.',
  member: 'A member of the account, without an API key.',
  system: 'The system itself.',
  provider_staff: 'A person who works for the provider.',
} as const;
export type ActorKind = keyof typeof actorMeanings;
export const ActorKindShape = Named(
  'ActorKind',
  OneOf(actorMeanings, { description: 'The kind of the originator; it decides which of the ids are set.' }),
);
export const actorMembers = {
  kind: ActorKindShape,
  api_key_id: Nullable(Id('key', { description: 'The API key that made the call; null for other kinds.' })),
  member_id: Nullable(
    Id('mem', { description: 'The member, or the owner of the key; null if no member is behind it.' }),
  ),
};
export const Actor = Named('Actor', Shape(actorMembers, { description: 'Who or what caused it.' }));

export interface AuditEntry {
  readonly id: string;
  readonly occurred_at: string;
  readonly actor: AuditActor;
  readonly client_ip: string | null;
  readonly user_agent: string | null;
  readonly source: keyof typeof sourceMeanings;
  readonly action: string;
  readonly resource: ResourceRef | null;
  readonly outcome: AuditOutcome;
  readonly http_status: number | null;
  readonly problem_code: string | null;
  readonly request_id: string | null;
  readonly operation_id: string | null;
  readonly approval_operation_id: string | null;
  /** Absent in entries of earlier versions, whose hashes do not include it. */
  readonly effects?: readonly EffectView[];
  readonly changes: readonly AuditChange[];
}

export const MAX_CHANGES = 100;
export const MAX_EFFECTS = 100;

export function chainHash(previous: Buffer, entry: AuditEntry): Buffer {
  return createHash('sha256').update(previous).update(canonicalJson(entry)).digest();
}
