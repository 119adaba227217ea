/** The answers of the server that the pages show. */

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly role: string;
  readonly member_id: string;
  readonly mfa_required: boolean;
}

export interface Me {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly theme: string | null;
  };
  readonly session: {
    readonly id: string;
    readonly expires_at: string;
    readonly reauthenticated_until: string | null;
    readonly second_factor: boolean;
  };
  readonly accounts: readonly Account[];
  readonly needs_second_factor: boolean;
}

export interface List<Item> {
  readonly data: readonly Item[];
  readonly next_cursor?: string | null;
}

export interface Warning {
  readonly code: string;
  readonly detail: string;
}

export interface ApiKey {
  readonly id: string;
  readonly public_id: string;
  readonly name: string;
  readonly status: string;
  readonly permissions: readonly string[];
  readonly preset: string | null;
  readonly approval: 'off' | 'destructive' | 'writes';
  readonly approval_over_monthly: string | null;
  readonly owner: { readonly member_id: string; readonly name: string };
  readonly expires_in: string;
  readonly expires_at: string | null;
  readonly notes: string;
  readonly last_used: {
    readonly at: string;
    readonly ip: string | null;
    readonly user_agent: string | null;
    readonly operation_id: string | null;
  } | null;
  readonly last_rejected: { readonly at: string; readonly ip: string | null; readonly code: string } | null;
  readonly exposed_at: string | null;
  readonly replaced_by: string | null;
  readonly revoked: {
    readonly at: string;
    readonly by: string;
    readonly reason: string | null;
    readonly comment?: string | null;
  } | null;
  readonly created_at: string;
}

export interface KeySummary {
  readonly counts: Readonly<Record<'active' | 'suspended' | 'expired' | 'revoked', number>>;
  /** Whether one of the keys was ever used. */
  readonly used: boolean;
  readonly exposed: readonly { readonly id: string; readonly name: string }[];
  readonly ending: readonly {
    readonly id: string;
    readonly name: string;
    readonly expires_at: string | null;
  }[];
}

export interface NewKey {
  readonly key: ApiKey;
  readonly secret: string;
  readonly warnings?: readonly Warning[];
}

interface Preset {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly approval: ApiKey['approval'] | null;
  readonly expires_in: string | null;
}

export interface PermissionChoice {
  readonly pattern: string;
  readonly access: string;
  readonly summary: string;
  readonly sensitive?: boolean;
  /** Whether the role of the person allows it. */
  readonly allowed?: boolean;
}

export interface KeyOptions {
  readonly presets: readonly Preset[];
  readonly families: readonly {
    readonly id: string;
    readonly title: string;
    readonly resources: readonly {
      readonly id: string;
      readonly title: string;
      readonly permissions: readonly PermissionChoice[];
    }[];
  }[];
  readonly lifetimes: readonly string[];
  readonly default_lifetime: string;
  readonly approval_modes: readonly string[];
  readonly policy: {
    readonly max_lifetime_days: number | null;
    readonly non_expiring_allowed: boolean;
    readonly default_approval: string;
    readonly keys_suspended?: boolean;
  };
}

export interface Access {
  readonly operation_id: string;
  readonly callable: boolean;
  readonly reason?: string | null;
  readonly missing_permission?: string | null;
}

export type AllowlistMode = 'off' | 'report_only' | 'enforce';

export interface Allowlist {
  readonly mode: AllowlistMode;
  readonly mode_changed: { readonly at: string; readonly by: string | null } | null;
  readonly version: number;
  readonly my_address: string;
  readonly entries: readonly {
    readonly id: string;
    readonly cidr: string;
    readonly note: string;
    readonly expires_at: string | null;
    readonly live: boolean;
    readonly last_matched_at: string | null;
    readonly created: { readonly at: string; readonly by: string };
  }[];
}

export interface EnforcePreview {
  readonly would_deny: readonly {
    readonly key_id: string;
    readonly key_name: string;
    readonly client_ip: string;
    readonly count: number;
    readonly last_at: string;
  }[];
  readonly warnings: readonly Warning[];
}

export interface Denial {
  readonly id: string;
  readonly cause: string;
  readonly code: string;
  readonly enforced: boolean;
  readonly key: { readonly id: string; readonly public_id: string; readonly name: string };
  readonly client_ip: string;
  readonly method: string;
  readonly path_template: string;
  readonly operation_id: string;
  readonly required_permission: string | null;
  readonly denied_by: readonly string[] | null;
  readonly user_agent: string | null;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly hint: string;
}

export interface Effect {
  readonly action: string;
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly loss?: { readonly what: string; readonly recoverable: boolean } | null;
}

/** What a dry run says that a call would change. */
export interface ForeseenChange {
  readonly text: string;
  /** It opens more than before, or takes a protection away. */
  readonly loosens: boolean;
}

export interface Approval {
  readonly operation_id: string;
  readonly status: string;
  readonly key: { readonly id: string; readonly name: string | null; readonly owner: string | null };
  readonly call: {
    readonly operation_id: string;
    readonly summary: string | null;
    readonly destructive: boolean;
    readonly method: string;
    readonly path: string;
    readonly query: unknown;
    readonly body: unknown;
  };
  readonly effects: readonly Effect[];
  /** Null if the request is older than these words. */
  readonly changes: readonly ForeseenChange[] | null;
  readonly cost: { readonly hourly?: string; readonly monthly?: string; readonly currency?: string } | null;
  readonly requested_at: string;
  readonly expires_at: string;
  readonly decision: 'approved' | 'denied' | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly told: string | null;
  readonly usable_until: string | null;
  readonly used_at: string | null;
}

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly status: string;
  readonly key_count?: number;
  readonly created_at?: string;
  readonly second_factor?: boolean;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly name?: string | null;
  readonly role: string;
  readonly status?: string;
  readonly invited_by?: string | null;
  readonly created_at?: string;
  readonly expires_at: string;
  readonly expired: boolean;
}

export interface Security {
  readonly password_set: boolean;
  readonly totp: { readonly enabled: boolean; readonly since: string | null };
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    readonly created_at: string;
    readonly last_used_at: string | null;
  }[];
  readonly recovery_codes: { readonly left: number };
  readonly sessions: readonly {
    readonly id: string;
    readonly current: boolean;
    readonly created_at: string;
    readonly last_seen_at: string;
    readonly address: string | null;
    readonly user_agent: string | null;
  }[];
}

export interface Operation {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly progress_percent: number | null;
  readonly step: string;
  readonly waiting_for: string | null;
  readonly resource: { readonly type: string; readonly id: string | null; readonly name: string | null };
  readonly related: readonly { readonly type: string; readonly id: string }[];
  readonly warnings: readonly Warning[];
  readonly cancellable: boolean;
  readonly parent_id: string | null;
  readonly children: {
    readonly total: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly pending: number;
  } | null;
  readonly error: { readonly code: string; readonly detail: string; readonly retryable: boolean } | null;
  readonly actor: {
    readonly kind: string;
    readonly api_key_id: string | null;
    readonly member_id: string | null;
  };
  readonly request_id: string | null;
  readonly expected_seconds: number | null;
  readonly deadline_at: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}
