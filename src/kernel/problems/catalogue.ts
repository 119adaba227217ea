/**
 * Every refusal the API can give, once. A code never changes its meaning inside v1; clients branch on it.
 * The spec, docs/errors.md and the answers themselves are all made from this table.
 */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly when: string;
  /** What the caller should do next: one sentence, sent with every such answer. */
  readonly next_step: string;
  readonly retryable?: true;
  /** Members such an answer carries beyond those every problem has. */
  readonly extra?: readonly string[];
  /** Only calls of the portal and of the operator's command line answer with it; it is not in the public spec. */
  readonly portalOnly?: true;
}

const define = <T extends Record<string, ProblemDefinition>>(
  table: T,
): { [K in keyof T]: ProblemDefinition } => table;

export const problems = define({
  malformed_request: {
    status: 400,
    title: 'Request not readable',
    when: 'The JSON is invalid, has duplicate member names or is nested deeper than 32, or a header has bad syntax.',
    next_step: 'Fix the request as the detail says and send it again.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Cursor not valid',
    when: 'The cursor was altered, or belongs to a list with other filters or another sort.',
    next_step: 'Start the list again without a cursor.',
  },
  api_key_missing: {
    status: 401,
    title: 'API key missing',
    when: 'There is no X-API-Key header, or more than one.',
    next_step: 'Send the API key exactly once, in the header X-API-Key.',
  },
  bearer_not_supported: {
    status: 401,
    title: 'Key sent as bearer token',
    when: 'The key came in the Authorization header.',
    next_step: 'Send the same key in the header X-API-Key instead of Authorization.',
  },
  api_key_malformed: {
    status: 401,
    title: 'API key malformed',
    when: 'The key does not have the shape of a key, or its checksum is wrong.',
    next_step: 'Copy the whole key again: 56 characters beginning with hpk1_.',
  },
  api_key_invalid: {
    status: 401,
    title: 'API key not valid',
    when: 'The key is unknown, its secret is wrong, or its account is closed.',
    next_step: 'Create a key in the portal under Developers > API > Keys.',
  },
  api_key_expired: {
    status: 401,
    title: 'API key expired',
    when: 'The secret is right, but the key is past its expiry.',
    next_step: 'Create or roll a key in the portal under Developers > API > Keys.',
  },
  api_key_suspended: {
    status: 401,
    title: 'API key suspended',
    when: 'The key, its owner or all keys of the account were paused in the portal.',
    next_step: 'Resume the key in the portal under Developers > API > Keys.',
  },
  api_key_revoked: {
    status: 401,
    title: 'API key revoked',
    when: 'The key was revoked, which is final.',
    next_step: 'Create a new key in the portal under Developers > API > Keys.',
  },
  permission_denied: {
    status: 403,
    title: 'Permission missing',
    when: "The key, or the role of the key's owner, lacks the permission of the endpoint.",
    next_step:
      'Create a key with this permission in the portal under Developers > API > Keys, or ask an admin of the account.',
    extra: ['required_permission', 'denied_by'],
  },
  product_not_enabled: {
    status: 403,
    title: 'Product not enabled',
    when: 'The account does not have this product family.',
    next_step: 'Enable the product in the portal.',
    extra: ['family', 'required_permission', 'denied_by'],
  },
  ip_not_allowed: {
    status: 403,
    title: 'Address not on the allowlist',
    when: 'The IP allowlist of the account is enforced and does not hold the address of the caller.',
    next_step:
      'Add the address in the portal under Developers > API > Keys, or call from an address that is on the list.',
    extra: ['client_ip'],
  },
  account_restricted: {
    status: 403,
    title: 'Account restricted',
    when: 'The account may not make calls that raise its cost.',
    next_step: 'See the portal for what is asked of the account.',
    extra: ['required_permission', 'denied_by'],
  },
  account_suspended: {
    status: 403,
    title: 'Account suspended',
    when: 'The account is suspended or closing and the call is not one of those still allowed.',
    next_step: 'Open a support ticket, or see the portal.',
    extra: ['required_permission', 'denied_by'],
  },
  portal_only: {
    status: 403,
    title: 'Only possible in the portal',
    when: 'The call would loosen what was locked in the portal.',
    next_step: 'Make this change in the portal.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    when: 'There is nothing with this id in the account: unknown, deleted or foreign, which all answer alike.',
    next_step: 'Check the id, for instance by listing the resources of this type.',
  },
  endpoint_not_found: {
    status: 404,
    title: 'No such endpoint',
    when: 'The path is not in the specification.',
    next_step: 'See GET /account/v1/my-apis or /openapi.json for the exact paths.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    when: 'The path exists, but not with this method; the Allow header lists those it has.',
    next_step: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Format not offered',
    when: 'The Accept header matches nothing the endpoint can answer with.',
    next_step: 'Ask for application/json.',
  },
  request_timeout: {
    status: 408,
    title: 'Body came too slowly',
    when: 'The body was not complete within 30 seconds.',
    next_step: 'Send the request again over a faster connection.',
    retryable: true,
  },
  operation_in_progress: {
    status: 409,
    title: 'Another operation is running',
    when: 'The resource is busy with another operation.',
    next_step: 'Wait for that operation to end, then repeat the call.',
    retryable: true,
    extra: ['operation_id'],
  },
  operation_queue_full: {
    status: 409,
    title: 'Too many operations waiting',
    when: 'The queue of operations of the resource is full.',
    next_step: 'Wait until some of its operations have ended, then repeat the call.',
    retryable: true,
  },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    when: 'The resource is in a state that does not allow the call.',
    next_step: 'Bring the resource into one of the allowed states first.',
    extra: ['current_state', 'allowed_states'],
  },
  not_cancellable: {
    status: 409,
    title: 'Cannot be cancelled',
    when: 'The operation has ended or is past the point of no return.',
    next_step: 'Let the operation end and act on its result.',
    extra: ['operation_status'],
  },
  resource_protected: {
    status: 409,
    title: 'Protected',
    when: 'Protection is set on the resource.',
    next_step: 'Remove the protection with PATCH, on purpose, then repeat the call.',
  },
  resource_in_use: {
    status: 409,
    title: 'In use',
    when: 'Other resources use this one.',
    next_step: 'Detach it first, or add ?detach=true where the endpoint offers it.',
    extra: ['used_by', 'used_by_count'],
  },
  resource_suspended: {
    status: 409,
    title: 'Resource suspended',
    when: 'The provider suspended the resource.',
    next_step: 'Open a support ticket.',
  },
  already_attached: {
    status: 409,
    title: 'Attached elsewhere',
    when: 'The resource is attached to another one.',
    next_step: 'Set `move` to take it over, or detach it first.',
    extra: ['attached_to'],
  },
  name_taken: {
    status: 409,
    title: 'Name already used',
    when: 'Another resource of this type in the account has the name.',
    next_step: 'Choose another name, or use the existing resource.',
    extra: ['existing_id'],
  },
  address_taken: {
    status: 409,
    title: 'Address already used',
    when: 'The address is held by another, or is not in the own quarantine.',
    next_step: 'Choose another address, or leave the choice to the provider.',
  },
  address_blocked: {
    status: 409,
    title: 'Address blocked',
    when: 'The provider has blocked the address.',
    next_step: 'Open a support ticket.',
  },
  not_releasable: {
    status: 409,
    title: 'Cannot be released',
    when: 'The address is ephemeral or the primary one of a machine.',
    next_step: 'Delete or cancel the machine that holds it.',
  },
  quota_exceeded: {
    status: 409,
    title: 'Limit reached',
    when: 'The call would go over a limit of the account.',
    next_step: 'Free some, or open a ticket of category limit_increase.',
    extra: ['limit_id', 'limit', 'used', 'requested'],
  },
  capacity_unavailable: {
    status: 409,
    title: 'No capacity',
    when: 'The provider has no capacity for this at the moment.',
    next_step: 'Choose one of the alternatives, or repeat the call after Retry-After.',
    retryable: true,
    extra: ['alternatives'],
  },
  budget_exceeded: {
    status: 409,
    title: 'Budget used up',
    when: 'A blocking budget leaves no room for the cost of the call.',
    next_step: 'Raise the budget (in the portal if it is locked) or free other cost first.',
    extra: ['budget_id', 'amount', 'spent', 'requested'],
  },
  approval_required: {
    status: 409,
    title: 'Approval needed',
    when: 'The key may make this call only after a person approved it.',
    next_step:
      'Wait for the operation to succeed, then repeat the identical request with the header Approval-Id.',
    extra: ['operation_id', 'approve_url', 'expires_at'],
  },
  approval_mismatch: {
    status: 409,
    title: 'Approval is for another request',
    when: 'The request differs from the one that was approved.',
    next_step: 'Repeat the approved request exactly, or ask for a new approval.',
  },
  approval_expired: {
    status: 409,
    title: 'Approval expired or used',
    when: 'The approval is older than 15 minutes or was used already.',
    next_step: 'Send the request without Approval-Id to ask again.',
  },
  idempotency_key_conflict: {
    status: 409,
    title: 'Key used for another request',
    when: 'The same Idempotency-Key came with another method, path or body within 24 hours.',
    next_step: 'Use a new Idempotency-Key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'First request still running',
    when: 'A request with the same Idempotency-Key is still being worked on.',
    next_step: 'Repeat the same request after Retry-After.',
    retryable: true,
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    when: 'A redelivery was asked of a disabled webhook.',
    next_step: 'Enable the webhook, then ask for the redelivery again.',
  },
  event_expired: {
    status: 409,
    title: 'Event no longer kept',
    when: 'The event is older than 30 days.',
    next_step: 'Read the resource itself.',
  },
  stream_limit_reached: {
    status: 409,
    title: 'Too many streams',
    when: 'The key has 5 or the account 20 open event streams.',
    next_step: 'Close a stream, then open the new one.',
  },
  ticket_closed: {
    status: 409,
    title: 'Ticket closed for good',
    when: 'The time for reopening the ticket is over.',
    next_step: 'Open a new ticket with `follow_up_of`.',
  },
  duplicate_ticket: {
    status: 409,
    title: 'Same ticket just opened',
    when: 'A ticket with the same text was opened within 10 minutes.',
    next_step: 'Use the existing ticket.',
    extra: ['existing_id'],
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor too old',
    when: 'The event cursor is older than 30 days.',
    next_step: 'Read the resources, then start the feed at `since=now`.',
  },
  etag_mismatch: {
    status: 412,
    title: 'Changed in the meantime',
    when: 'If-Match names another version than the current one, or If-None-Match names one that exists.',
    next_step: 'Read the resource again, decide, and repeat with its current ETag.',
    extra: ['current_etag'],
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    when: "The body is larger than the endpoint's limit.",
    next_step: 'Send a body within limit_bytes.',
    extra: ['limit_bytes'],
  },
  unsupported_media_type: {
    status: 415,
    title: 'Media type not supported',
    when: 'The body is not JSON in UTF-8, or it is compressed.',
    next_step: 'Send uncompressed JSON with Content-Type: application/json.',
  },
  validation_failed: {
    status: 422,
    title: 'Request not valid',
    when: 'Members, query parameters or headers are not as the specification says; every one is listed in errors.',
    next_step: 'Correct all the fields listed in errors, then send the request again.',
  },
  query_too_large: {
    status: 422,
    title: 'Query too large',
    when: 'The query asks for more series or points than the limit.',
    next_step: 'Use a larger step or fewer resources.',
    extra: ['min_step_seconds'],
  },
  idempotency_key_required: {
    status: 422,
    title: 'Idempotency-Key needed',
    when: 'An ordering call came without Idempotency-Key.',
    next_step: 'Send an Idempotency-Key of your own choice.',
  },
  secret_in_text: {
    status: 422,
    title: 'Text holds a secret',
    when: 'A text that people will read holds a key or another secret.',
    next_step: 'Remove the secret from the text; roll the key if it was a real one.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    when: 'More than 200 requests came from one address within a minute.',
    next_step: 'Wait as many seconds as Retry-After says; do not guess.',
    retryable: true,
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    when: 'Something failed on our side; it is logged under the request id.',
    next_step: 'Repeat with the same Idempotency-Key; if it persists, open a ticket with the request_id.',
    retryable: true,
  },
  engine_unavailable: {
    status: 503,
    title: 'Back end not reachable',
    when: 'The database or an engine behind the API does not answer.',
    next_step: 'Repeat the call after Retry-After.',
    retryable: true,
  },
  read_only_mode: {
    status: 503,
    title: 'Changes are paused',
    when: 'The provider is in maintenance or failing over.',
    next_step: 'Repeat the call after Retry-After.',
    retryable: true,
  },
  allowlist_empty: {
    status: 422,
    title: 'Allowlist is empty',
    when: 'Enforce was asked for while the allowlist has no entry in force: every key would be shut out.',
    next_step: 'Add an entry first, or use Off.',
    portalOnly: true,
  },
  allowlist_last_entry: {
    status: 409,
    title: 'Last entry of an enforced allowlist',
    when: 'The only entry in force would go while the mode is Enforce.',
    next_step: 'Switch the mode to Off or Report only first, or add another entry.',
    portalOnly: true,
  },
  entry_exists: {
    status: 409,
    title: 'Entry already on the allowlist',
    when: 'The same range is on the list.',
    next_step: 'Nothing to do: the range is on the list.',
    portalOnly: true,
  },
  cidr_too_broad: {
    status: 422,
    title: 'Range too wide',
    when: 'The range is wider than /8 (IPv4) or /16 (IPv6).',
    next_step: 'Use narrower ranges; to allow everyone, use Off.',
    portalOnly: true,
  },
  host_bits_set: {
    status: 422,
    title: 'Host bits set',
    when: 'The address has bits set beyond its prefix.',
    next_step: 'Use the corrected range given in the detail.',
    portalOnly: true,
    extra: ['corrected'],
  },
});

export type ProblemCode = keyof typeof problems;

/** Codes of single fields, inside `errors[]` of a 422. */
export const fieldCodes = [
  'required',
  'invalid_format',
  'out_of_range',
  'too_long',
  'too_short',
  'too_many',
  'too_few',
  'not_unique',
  'unknown_member',
  'unknown_reference',
  'unknown_resource_type',
  'unknown_event_type',
  'immutable',
  'mutually_exclusive',
  'incompatible',
  'location_mismatch',
  'reserved_name',
  'blocked_address',
  'unverified_email',
  'confirmation_missing',
  'confirmation_mismatch',
] as const;

export type FieldCode = (typeof fieldCodes)[number];
