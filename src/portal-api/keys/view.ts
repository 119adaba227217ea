import { fold } from '../../kernel/access/permissions.ts';
import type { KeyRow } from './store.ts';

/** A key as it may be shown: without the hash of its secret. */
export function viewKey(row: KeyRow) {
  return {
    id: row.id,
    public_id: row.public_id,
    name: row.name,
    status: row.state,
    permissions: fold(row.permissions),
    preset: row.preset,
    approval: row.approval,
    approval_over_monthly: row.approval_over_monthly,
    owner: { member_id: row.owner_id, name: row.owner_name },
    expires_in: row.expires_in,
    expires_at: row.expires_at,
    notes: row.notes,
    last_used:
      row.last_used_at === null
        ? null
        : {
            at: row.last_used_at,
            ip: row.last_used_ip,
            user_agent: row.last_used_user_agent,
            operation_id: row.last_used_operation,
          },
    last_rejected:
      row.last_rejected_at === null
        ? null
        : { at: row.last_rejected_at, ip: row.last_rejected_ip, code: row.last_rejected_code },
    exposed_at: row.exposed_at,
    replaced_by: row.replaced_by,
    revoked:
      row.revoked_at === null
        ? null
        : {
            at: row.revoked_at,
            by: row.revoked_by,
            reason: row.revoked_reason,
            comment: row.revoked_comment,
          },
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export type KeyView = ReturnType<typeof viewKey>;
