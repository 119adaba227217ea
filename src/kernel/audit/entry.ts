/** Audit entries of writes. Each hash includes the previous one, so recomputing the chain reveals a changed entry. */
import { createHash } from 'node:crypto';
import type { EffectView } from '../effect-view.ts';
import type { ResourceRef } from '../resource-ref.ts';

export interface AuditChange {
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditActor {
  readonly kind: 'api_key' | 'member' | 'system' | 'provider_staff';
  readonly api_key_id: string | null;
  readonly member_id: string | null;
  readonly name: string;
}

export const auditOutcomes = ['accepted', 'succeeded', 'rejected', 'failed'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];
export const auditSources = ['api', 'portal', 'system'] as const;

export interface AuditEntry {
  readonly id: string;
  readonly occurred_at: string;
  readonly actor: AuditActor;
  readonly client_ip: string | null;
  readonly user_agent: string | null;
  readonly source: (typeof auditSources)[number];
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

/** JSON with sorted members, so that equal values always have the same bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

export function chainHash(previous: Buffer, entry: AuditEntry): Buffer {
  return createHash('sha256').update(previous).update(canonicalJson(entry)).digest();
}
