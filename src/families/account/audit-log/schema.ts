import { AuditOutcomeShape, AuditSource, actorMembers, MAX_EFFECTS } from '../../../kernel/audit/entry.ts';
import { EffectView } from '../../../kernel/effect-view.ts';
import { ResourceReference } from '../../../kernel/resource-ref.ts';
import {
  byOthers,
  Id,
  Named,
  Nullable,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';

export const AuditEntry = Named(
  'AuditEntry',
  Shape({
    id: OwnId('aud'),
    occurred_at: { ...Time, description: 'When the call was made, in UTC.' },
    actor: Shape(
      {
        ...actorMembers,
        name: Type.String({ description: 'The name of the key or the person at that time.' }),
      },
      { description: 'Who made the call.' },
    ),
    client_ip: Nullable(
      Type.String({ description: 'The address that the call came from; null if it is not known.' }),
    ),
    user_agent: Nullable(
      Type.String({ ...byOthers, description: 'The header `User-Agent` of the call; null if it had none.' }),
    ),
    source: AuditSource,
    action: Type.String({
      description: 'The operation id of an API call, or the change that a person made.',
    }),
    resource: Nullable({
      ...ResourceReference,
      description:
        'The resource that the call changed, wanted to change, or showed a secret of; null if there is none.',
    }),
    outcome: AuditOutcomeShape,
    http_status: Nullable(
      Type.Integer({ description: 'The HTTP status of the answer; null outside the API.' }),
    ),
    problem_code: Nullable(
      Type.String({ description: 'The code of the refusal; null if the call was not refused.' }),
    ),
    request_id: Nullable(
      Type.String({ description: 'The `X-Request-Id` of the call; null outside the API.' }),
    ),
    operation_id: Nullable(Id('op', { description: 'The operation that the call started; null if none.' })),
    approval_operation_id: Nullable(
      Id('op', { description: 'The request for approval that the call made or used; null if none.' }),
    ),
    effects: Type.Optional(
      Type.Array(EffectView, {
        maxItems: MAX_EFFECTS,
        description: 'What the call did. Absent in entries that are older than this member.',
      }),
    ),
    changes: Type.Array(
      Shape({
        // It can end with the name of a label.
        pointer: Type.String({ ...byOthers, description: 'JSON Pointer to the member that changed.' }),
        before: Type.Unknown({
          ...byOthers,
          description: 'The value until then, any JSON value; null if there was none.',
        }),
        after: Type.Unknown({
          ...byOthers,
          description: 'The value from then on, any JSON value; null if there is none.',
        }),
      }),
      { maxItems: 100, description: 'The members that changed, with secrets left out.' },
    ),
    prev_hash: Type.String({ description: 'Hash of the entry before it, hexadecimal.' }),
    hash: Type.String({
      description:
        'SHA-256 of `prev_hash` (as bytes) followed by the canonical JSON of the entry without both hashes.',
    }),
  }),
  { columns: ['occurred_at', 'actor', 'action', 'resource', 'outcome'] },
);

export type AuditEntry = Static<typeof AuditEntry>;
