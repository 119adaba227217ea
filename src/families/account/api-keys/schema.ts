import type { Selectable } from 'kysely';
import { lifetimeMeanings } from '../../../kernel/access/lifetimes.ts';
import { fold } from '../../../kernel/access/permissions.ts';
import { type PresetName, presetMeanings } from '../../../kernel/access/presets.ts';
import { ApiKeyStatus, ApprovalMode, type KeyStatus, PublicId } from '../../../kernel/access/tables.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import {
  byOthers,
  CreatedAt,
  Decimal,
  Etag,
  Id,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import type { Tables } from '../../../store/database.ts';

const reasonMeanings = {
  leaked: 'Somebody else may know the key.',
  rotated: 'A new key replaces it.',
  unused: 'Nobody needs it any more.',
  other: 'Another reason.',
} as const;
export const RevokeReason = OneOf(reasonMeanings, {
  description: 'Why the key is revoked, for the record. Without it, no reason is recorded.',
});

export const KeyPermissions = Type.Array(Type.String(), {
  description: 'What the key may do at most: permissions, or patterns such as `flexible-vps:*:read`.',
});

export const OverMonthly = Nullable({
  ...Decimal,
  'x-unit': 'currency/month',
  description: 'Calls that add more than this to the monthly cost need approval too; null: no such limit.',
});

export const ApiKey = Named(
  'ApiKey',
  Shape({
    id: OwnId('key'),
    public_id: PublicId,
    name: Type.String({ description: 'The name that the key got when it was created.' }),
    status: ApiKeyStatus,
    permissions: KeyPermissions,
    preset: Nullable(
      OneOf(presetMeanings, {
        description: 'The preset that the permissions were chosen from; null if they were chosen singly.',
      }),
    ),
    approval: ApprovalMode,
    approval_over_monthly: OverMonthly,
    owner: Shape(
      {
        member_id: Nullable(Id('mem', { description: 'The member; null if that member was removed.' })),
        name: Type.String({ description: 'The name of the member.' }),
      },
      { description: 'The member who owns the key; the role of the member limits the key.' },
    ),
    expires_in: OneOf(lifetimeMeanings, { description: 'The lifetime that was chosen for the key.' }),
    expires_at: Nullable({ ...Time, description: 'When the key stops working; null if it does not expire.' }),
    last_used: Nullable(
      Shape(
        {
          at: { ...Time, description: 'When the call was made.' },
          ip: Type.String({ description: 'The address that the call came from.' }),
          user_agent: Type.String({ ...byOthers, description: 'The header `User-Agent` of the call.' }),
          operation_id: Type.String({ description: 'The `operationId` of the call in this document.' }),
        },
        { ...volatile, description: 'The last call that was accepted; null if the key was never used.' },
      ),
    ),
    last_rejected: Nullable(
      Shape(
        {
          at: { ...Time, description: 'When the call was refused.' },
          ip: Type.String({ description: 'The address that the call came from.' }),
          code: Type.String({ description: 'The problem code of the refusal.' }),
        },
        { ...volatile, description: 'The last call with this key that was refused; null if none was.' },
      ),
    ),
    exposed_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the key was found in a place that others can read; null if it was not.',
    }),
    replaced_by: Nullable(Id('key', { description: 'The key that replaces this one; null if none does.' })),
    revoked: Nullable(
      Shape(
        {
          at: { ...Time, description: 'When the key was revoked.' },
          by: Type.String({ ...byOthers, description: 'The key or the person that revoked it.' }),
          reason: Nullable(Type.String({ description: 'The reason that was given; null if none was.' })),
        },
        { description: 'Who revoked the key; null if it is not revoked.' },
      ),
    ),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'permissions', 'owner', 'expires_at', 'last_used'] },
);

export type KeyRow = Omit<Selectable<Tables['api_keys']>, 'hash' | 'status' | 'first_key_id' | 'lineage'> & {
  readonly status: KeyStatus;
};

const time = (value: Date | null): string | null => value?.toISOString() ?? null;

export function presentKey(row: KeyRow): Static<typeof ApiKey> {
  return {
    id: row.id,
    public_id: row.public_id,
    name: row.name,
    status: row.status,
    permissions: fold(row.permissions),
    preset: row.preset as PresetName | null,
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

export const exampleKey = exampleOf(ApiKey, {
  id: 'key_01jqzv3c4he8kan6q2v9s7m5dt',
  public_id: 'EXAMPLEkey00',
  name: 'ci',
  status: 'active',
  permissions: ['account:*:read'],
  approval: 'off',
  owner: { member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c', name: 'Ada Example' },
  expires_in: '90d',
  expires_at: '2026-06-01T10:00:00.000Z',
  last_used: {
    at: '2026-03-01T10:00:00.000Z',
    ip: '203.0.113.7',
    user_agent: 'curl/8.5.0',
    operation_id: 'getWhoami',
  },
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
});
