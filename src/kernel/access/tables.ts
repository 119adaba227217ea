/** The tables that define who may do what. The kernel reads them; only the functions in `portal-api` write them. */

import type { Generated, GeneratedAlways } from 'kysely';
import { statesAllowing } from '../published-states.ts';
import { keysOf, Named, OneOf, Type, volatile } from '../schema.ts';
import type { Lifetime } from './lifetimes.ts';
import type { RoleName } from './roles.ts';

const openStatuses = {
  active: 'All calls are accepted.',
  restricted: 'Calls that raise the cost are refused, for example because a payment is overdue.',
  suspended:
    'The account can be read, resources can be deleted and operations cancelled; other calls are refused.',
  closing: 'The account will be closed. Only reads and deletions are accepted.',
} as const;
const statusMeanings = {
  ...openStatuses,
  closed: 'The account is closed, and its keys no longer work.',
} as const;
export const accountStatuses = keysOf(statusMeanings);
export type AccountStatus = keyof typeof statusMeanings;
/** The status of an account whose keys still work. */
export const OpenAccountStatus = Named(
  'AccountStatus',
  OneOf(openStatuses, {
    description: 'Decides which calls the account may make. No API key can change it.',
  }),
);
export const PublicId = Named(
  'KeyPublicId',
  Type.String({
    description: 'The second part of the key: safe to show and enough to identify the key.',
  }),
);

const approvalMeanings = {
  off: 'No call of the key waits for a person, except for those above `approval_over_monthly`.',
  destructive:
    'A person has to approve each call that deletes or overwrites something, that loses something for good, which its dry run marks with `recoverable: false`, or that opens more than before or takes a protection away, which its dry run marks with `loosens`.',
  writes: 'A person has to approve each call that changes something.',
} as const;
export const approvals = keysOf(approvalMeanings);
export type Approval = keyof typeof approvalMeanings;
export const ApprovalMode = Named(
  'ApprovalMode',
  OneOf(approvalMeanings, {
    description: 'Which calls of a key a person has to approve first. Set by a person.',
  }),
);
const allowlistMeanings = {
  off: 'Calls from all addresses are accepted.',
  report_only:
    'Calls from all addresses are accepted; those from other addresses are recorded as key denials.',
  enforce: 'Only calls from the addresses on the list are accepted.',
} as const;
export const allowlistModes = keysOf(allowlistMeanings);
export type AllowlistMode = keyof typeof allowlistMeanings;
export const AllowlistModeShape = Named(
  'AllowlistMode',
  OneOf(allowlistMeanings, {
    description: 'What the IP allowlist does: Off, Report only or Enforce; set by a person.',
  }),
);
export type StoredKeyStatus = 'active' | 'suspended' | 'revoked';
const keyStatusMeanings = {
  active: 'The key works.',
  suspended: 'The key is refused until a person resumes it.',
  expired: 'The key is refused, because its lifetime is over.',
  revoked: 'The key is refused for good.',
} as const;
export type KeyStatus = keyof typeof keyStatusMeanings;
export const ApiKeyStatus = Named(
  'ApiKeyStatus',
  OneOf(keyStatusMeanings, {
    ...volatile,
    description: 'Whether the key works.',
    ...statesAllowing({
      active: ['revokeApiKey'],
      suspended: ['revokeApiKey'],
      expired: ['revokeApiKey'],
      revoked: [],
    }),
  }),
);

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
  /** The person who signs in to the portal as this member; null until there is one. */
  person_id: string | null;
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
  expires_in: Lifetime;
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
  /** The first key of the chain that this one was rolled from; null if this is the first. */
  first_key_id: string | null;
  /** `first_key_id`, or the id of the first key itself: the same for all keys of a chain. */
  lineage: GeneratedAlways<string>;
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
