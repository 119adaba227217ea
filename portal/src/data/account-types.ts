/** The answers of the API that the pages of an account show. */

export interface ResourceOf {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}

export interface ActorOf {
  readonly kind: string;
  readonly api_key_id: string | null;
  readonly member_id: string | null;
}

/** What the server says about a kind of operation, such as `vm.create`. */
export interface OperationKind {
  readonly type: string;
  readonly family: string;
  readonly resource_type: string;
  readonly typical_seconds: number;
  readonly steps: readonly string[];
  /** The steps that take back what was done, if it is cancelled. */
  readonly undo: readonly string[];
  /** The calls that start it. */
  readonly calls: readonly string[];
}

export interface AuditEntry {
  readonly id: string;
  readonly occurred_at: string;
  readonly actor: ActorOf & { readonly name: string };
  readonly client_ip: string | null;
  readonly user_agent: string | null;
  readonly source: string;
  readonly action: string;
  readonly resource: ResourceOf | null;
  readonly outcome: string;
  readonly http_status: number | null;
  readonly problem_code: string | null;
  readonly request_id: string | null;
  readonly operation_id: string | null;
  readonly approval_operation_id: string | null;
  readonly effects?: readonly {
    readonly action: string;
    readonly type: string;
    readonly name: string | null;
  }[];
  readonly changes: readonly {
    readonly pointer: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
  readonly prev_hash: string;
  readonly hash: string;
}

export interface UsageGroup {
  readonly key: {
    readonly family?: string;
    readonly resource_type?: string;
    readonly resource_id?: string;
    readonly label_value?: string | null;
    readonly location?: string | null;
    readonly day?: string;
  };
  readonly quantities: readonly {
    readonly sku: string;
    readonly name: string;
    readonly unit: string;
    readonly quantity: string;
    readonly included: string;
    readonly billable: string;
  }[];
  readonly cost: string;
}

export interface Usage {
  readonly period: { readonly from: string; readonly to: string; readonly is_billing_period: boolean };
  readonly currency: string;
  readonly accrued: { readonly total: string; readonly fixed: string; readonly metered: string };
  readonly forecast: { readonly total: string; readonly confidence: 'low' | 'medium' | 'high' };
  readonly groups: readonly UsageGroup[];
  readonly next_cursor: string | null;
  readonly data_complete_until: string;
}

export interface Threshold {
  readonly percent: number;
  readonly basis: 'actual' | 'forecast';
}

/** What a person sets. */
export interface BudgetDeclaration {
  readonly amount: string;
  readonly description: string;
  readonly scope: {
    readonly families: readonly string[] | null;
    readonly label_selector: string | null;
    readonly api_key_ids: readonly string[] | null;
  };
  readonly thresholds: readonly Threshold[];
  readonly action: 'notify' | 'block_new_cost';
  readonly blocks: 'spent' | 'forecast';
  readonly emails: readonly string[];
}

export interface Budget extends BudgetDeclaration {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly locked: boolean;
  readonly spent: string;
  readonly forecast: string;
  readonly committed: string;
  readonly percent_used: number;
  readonly status: 'ok' | 'warning' | 'exceeded' | 'blocking';
  readonly crossed: readonly (Threshold & { readonly at: string })[];
}

/** What a person sets. */
export interface WebhookDeclaration {
  readonly url: string;
  readonly event_types: readonly string[];
  readonly enabled: boolean;
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Webhook extends WebhookDeclaration {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly secret_version: number;
  readonly previous_secret_valid_until: string | null;
  readonly last_success_at: string | null;
  readonly last_failure: {
    readonly at: string;
    readonly code: string;
    readonly http_status: number | null;
  } | null;
  readonly pending_count: number;
}

export interface Delivery {
  readonly id: string;
  readonly message_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly attempt: number;
  readonly trigger: string;
  readonly status: string;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly duration_ms: number | null;
  readonly response_excerpt: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

export interface Limit {
  readonly id: string;
  readonly family: string;
  readonly name: string;
  readonly unit: string;
  readonly limit: number | null;
  readonly used: number;
  readonly scope: string;
  readonly location: string | null;
  readonly raisable: boolean;
  readonly maximum_on_request: number | null;
}

export interface Contacts {
  readonly technical: readonly string[];
  readonly abuse: readonly string[];
  readonly security: readonly string[];
}

export interface AccountProfile {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly currency: string;
  readonly country: string;
  readonly timezone: string;
  readonly products: readonly {
    readonly family: string;
    readonly enabled: boolean;
    readonly reason: string | null;
  }[];
  readonly contacts: Contacts;
  readonly support_plan: string;
  readonly created_at: string;
}

export interface ResourceSummary {
  readonly id: string;
  readonly type: string;
  readonly family: string;
  readonly name: string;
  readonly status: string;
  readonly location: string | null;
  readonly parent_id: string | null;
  readonly price: { readonly hourly: string; readonly monthly: string; readonly currency: string } | null;
  readonly created_at: string;
}
