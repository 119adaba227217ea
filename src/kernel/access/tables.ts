/** The tables that define who may do what. The kernel reads them; only the functions in `portal-api` write them. */
import type { Generated } from 'kysely';
import type { RoleName } from './roles.ts';

export const accountStatuses = ['active', 'restricted', 'suspended', 'closing', 'closed'] as const;
export type AccountStatus = (typeof accountStatuses)[number];
export const approvals = ['off', 'destructive', 'writes'] as const;
export type Approval = (typeof approvals)[number];
export const allowlistModes = ['off', 'report_only', 'enforce'] as const;
export type AllowlistMode = (typeof allowlistModes)[number];
export type StoredKeyStatus = 'active' | 'suspended' | 'revoked';
export const keyStatuses = ['active', 'suspended', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

interface Stamps {
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface AccountsTable extends Stamps {
  id: string;
  name: string;
  status: Generated<AccountStatus>;
  currency: string;
  country: string;
  timezone: string;
  contacts: Generated<{ technical: string[]; abuse: string[]; security: string[] }>;
  support_plan: Generated<'basic' | 'business' | 'premium'>;
  key_max_lifetime_days: number | null;
  key_non_expiring_allowed: Generated<boolean>;
  key_default_approval: Generated<Approval>;
  mfa_required: Generated<boolean>;
  keys_suspended: Generated<boolean>;
}

interface AccountProductsTable {
  account_id: string;
  family: string;
  enabled: boolean;
  since: Date | null;
  reason: string | null;
}

interface AccountLimitsTable {
  account_id: string;
  limit_id: string;
  value: number | null;
}

interface MembersTable extends Stamps {
  id: string;
  account_id: string;
  name: string;
  email: string;
  role: RoleName;
  status: Generated<'invited' | 'active' | 'suspended'>;
  mfa_enabled: Generated<boolean>;
  last_sign_in_at: Date | null;
}

interface ApiKeysTable extends Stamps {
  id: string;
  account_id: string;
  public_id: string;
  hash: Buffer;
  name: string;
  status: Generated<StoredKeyStatus>;
  permissions: string[];
  preset: string | null;
  approval: Generated<Approval>;
  approval_over_monthly: string | null;
  owner_id: string | null;
  owner_name: string;
  expires_in: string;
  expires_at: Date | null;
  notes: Generated<string>;
  last_used_at: Date | null;
  last_used_ip: string | null;
  last_used_user_agent: string | null;
  last_used_operation: string | null;
  last_rejected_at: Date | null;
  last_rejected_ip: string | null;
  last_rejected_code: string | null;
  exposed_at: Date | null;
  replaced_by: string | null;
  revoked_at: Date | null;
  revoked_by: string | null;
  revoked_reason: string | null;
  revoked_comment: string | null;
}

interface IpAllowlistsTable {
  account_id: string;
  mode: Generated<AllowlistMode>;
  mode_changed_at: Date | null;
  mode_changed_by: string | null;
  version: Generated<number>;
}

interface IpAllowlistEntriesTable {
  id: string;
  account_id: string;
  cidr: string;
  note: Generated<string>;
  expires_at: Date | null;
  last_matched_at: Date | null;
  created_at: Generated<Date>;
  created_by: string;
}

declare module '../../store/database.ts' {
  interface Tables {
    accounts: AccountsTable;
    account_products: AccountProductsTable;
    account_limits: AccountLimitsTable;
    members: MembersTable;
    api_keys: ApiKeysTable;
    ip_allowlists: IpAllowlistsTable;
    ip_allowlist_entries: IpAllowlistEntriesTable;
  }
}
