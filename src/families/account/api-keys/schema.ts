import type { Selectable } from 'kysely';
import { fold } from '../../../kernel/access/permissions.ts';
import { approvals, type KeyStatus, keyStatuses } from '../../../kernel/access/tables.ts';
import { etagOf } from '../../../kernel/etag.ts';
import {
  Decimal,
  Id,
  Named,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import type { Tables } from '../../../store/database.ts';

export const revokeReasons = ['leaked', 'rotated', 'unused', 'other'] as const;

export const OverMonthly = Nullable({
  ...Decimal,
  description: 'Calls that add more than this to the monthly cost need approval too.',
});

export const ApiKey = Named(
  'ApiKey',
  Shape({
    id: Id('key'),
    public_id: Type.String({
      description: 'The second part of the key: safe to show and enough to identify the key.',
    }),
    name: Type.String(),
    status: OneOf(keyStatuses, {
      'x-states': {
        active: ['revoke'],
        suspended: ['revoke'],
        expired: ['revoke'],
        revoked: [],
      },
    }),
    permissions: Type.Array(Type.String()),
    preset: Nullable(Type.String()),
    approval: OneOf(approvals),
    approval_over_monthly: OverMonthly,
    owner: Shape({ member_id: Nullable(Id('mem')), name: Type.String() }),
    expires_in: Type.String(),
    expires_at: Nullable(Time),
    last_used: Nullable(
      Shape({
        at: Time,
        ip: Type.String(),
        user_agent: Type.String(),
        operation_id: Type.String(),
      }),
    ),
    last_rejected: Nullable(Shape({ at: Time, ip: Type.String(), code: Type.String() })),
    exposed_at: Nullable(Time),
    replaced_by: Nullable(Id('key')),
    revoked: Nullable(Shape({ at: Time, by: Type.String(), reason: Nullable(Type.String()) })),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);

export type KeyRow = Omit<Selectable<Tables['api_keys']>, 'hash' | 'status'> & { readonly status: KeyStatus };

const time = (value: Date | null): string | null => value?.toISOString() ?? null;

export function presentKey(row: KeyRow): Static<typeof ApiKey> {
  return {
    id: row.id,
    public_id: row.public_id,
    name: row.name,
    status: row.status,
    permissions: fold(row.permissions),
    preset: row.preset,
    approval: row.approval,
    approval_over_monthly: row.approval_over_monthly,
    owner: { member_id: row.owner_id, name: row.owner_name },
    expires_in: row.expires_in,
    expires_at: time(row.expires_at),
    last_used:
      row.last_used_at === null
        ? null
        : {
            at: row.last_used_at.toISOString(),
            ip: row.last_used_ip ?? '',
            user_agent: row.last_used_user_agent ?? '',
            operation_id: row.last_used_operation ?? '',
          },
    last_rejected:
      row.last_rejected_at === null
        ? null
        : {
            at: row.last_rejected_at.toISOString(),
            ip: row.last_rejected_ip ?? '',
            code: row.last_rejected_code ?? '',
          },
    exposed_at: time(row.exposed_at),
    replaced_by: row.replaced_by,
    revoked:
      row.revoked_at === null
        ? null
        : { at: row.revoked_at.toISOString(), by: row.revoked_by ?? '', reason: row.revoked_reason },
    etag: etagOf(row.id, row.version),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const exampleKey: Static<typeof ApiKey> = {
  id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
  public_id: 'EXAMPLEkey00',
  name: 'ci',
  status: 'active',
  permissions: ['account:*:read'],
  preset: null,
  approval: 'off',
  approval_over_monthly: null,
  owner: { member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c', name: 'Ada Example' },
  expires_in: '90d',
  expires_at: '2026-06-01T10:00:00.000Z',
  last_used: {
    at: '2026-03-01T10:00:00.000Z',
    ip: '203.0.113.7',
    user_agent: 'curl/8.5.0',
    operation_id: 'getWhoami',
  },
  last_rejected: null,
  exposed_at: null,
  replaced_by: null,
  revoked: null,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
};
