/** The tables of people and of what they sign in with. */
import type { Generated } from 'kysely';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

interface PeopleTable {
  id: string;
  name: string;
  email: string;
  /** Null for people who sign in with a passkey only. */
  password_hash: string | null;
  password_changed_at: Date | null;
  totp_secret: Buffer | null;
  totp_enabled_at: Date | null;
  /** The newest time step whose code was used: a code is accepted once. */
  totp_last_step: Generated<number>;
  /** The secret of an app that is being set up. */
  totp_pending: Buffer | null;
  theme: Generated<Theme>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface SessionsTable {
  id: string;
  person_id: string;
  token_hash: Buffer;
  previous_token_hash: Buffer | null;
  previous_token_until: Date | null;
  second_factor: boolean;
  reauthenticated_at: Date | null;
  client_ip: string;
  user_agent: string;
  created_at: Generated<Date>;
  last_seen_at: Generated<Date>;
  expires_at: Date;
}

interface SessionAccountsTable {
  session_id: string;
  account_id: string;
  entered_at: Generated<Date>;
}

interface PasskeysTable {
  id: string;
  person_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  name: string;
  created_at: Generated<Date>;
  last_used_at: Date | null;
}

interface RecoveryCodesTable {
  person_id: string;
  hash: Buffer;
  used_at: Date | null;
}

interface OneTimeTokensTable {
  hash: Buffer;
  purpose: string;
  person_id: string | null;
  email: string | null;
  data: unknown;
  wrong_codes: Generated<number>;
  created_at: Generated<Date>;
  expires_at: Date;
  usable_from: Generated<Date>;
  used_at: Date | null;
}

interface SignInAttemptsTable {
  id: string;
  subject: string;
  at: Generated<Date>;
}

interface PersonEventsTable {
  id: string;
  person_id: string;
  type: string;
  occurred_at: Generated<Date>;
  last_at: Generated<Date>;
  count: Generated<number>;
  fold: number | null;
  client_ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  data: Generated<Record<string, unknown>>;
}

interface InvitationsTable {
  id: string;
  account_id: string;
  member_id: string;
  token_hash: Buffer;
  invited_by: string;
  inviter_name: string;
  sent_at: Generated<Date>;
  expires_at: Date;
  created_at: Generated<Date>;
}

declare module '../../store/database.ts' {
  interface Tables {
    people: PeopleTable;
    sessions: SessionsTable;
    session_accounts: SessionAccountsTable;
    passkeys: PasskeysTable;
    recovery_codes: RecoveryCodesTable;
    one_time_tokens: OneTimeTokensTable;
    sign_in_attempts: SignInAttemptsTable;
    person_events: PersonEventsTable;
    invitations: InvitationsTable;
  }
}
