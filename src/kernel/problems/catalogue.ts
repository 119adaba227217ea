/**
 * The catalogue of all problems that the API can answer with. A code never changes its meaning inside v1, because
 * clients branch on it. The OpenAPI document, docs/errors.md and the answers themselves are all built from this table.
 */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly when: string;
  /** What the caller should do next: one sentence, sent with every answer of this code. */
  readonly next_step: string;
  readonly retryable?: true;
  /** Members that answers of this code have in addition to those of every problem. */
  readonly extra?: readonly string[];
  /** Only people get this code, in the portal or at the command line; the public OpenAPI document omits it. */
  readonly portalOnly?: true;
}

const define = <T extends Record<string, ProblemDefinition>>(
  table: T,
): { [K in keyof T]: ProblemDefinition } => table;

export const problems = define({
  malformed_request: {
    status: 400,
    title: 'Request cannot be read',
    when: 'The body is not valid JSON, has duplicate member names or is nested deeper than 32 levels, or a header has invalid syntax.',
    next_step: 'Read the detail, fix the request and send it again.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Cursor not valid',
    when: 'The cursor was changed, or it belongs to a list with different filters or a different sort.',
    next_step: 'Start the list again without a cursor.',
  },
  api_key_missing: {
    status: 401,
    title: 'API key missing',
    when: 'The request has no X-API-Key header, or more than one.',
    next_step: 'Send the API key exactly once, in the header X-API-Key.',
  },
  bearer_not_supported: {
    status: 401,
    title: 'Key sent as bearer token',
    when: 'You sent the API key in the Authorization header.',
    next_step: 'Send the same key in the header X-API-Key instead of Authorization.',
  },
  api_key_malformed: {
    status: 401,
    title: 'API key malformed',
    when: 'The value of X-API-Key does not have the format of an API key, or its checksum is wrong.',
    next_step: 'Copy the whole key again: it has 56 characters and starts with hpk1_.',
  },
  api_key_invalid: {
    status: 401,
    title: 'API key not valid',
    when: 'The API key does not exist, its secret is wrong, or its account is closed.',
    next_step:
      'Check that you use the right key, or create one in the portal (operators: hostplane admin keys create).',
  },
  api_key_expired: {
    status: 401,
    title: 'API key expired',
    when: 'The API key is correct, but it has expired.',
    next_step: 'Create or roll a key in the portal (operators: hostplane admin keys roll).',
  },
  api_key_suspended: {
    status: 401,
    title: 'API key suspended',
    when: 'The API key, its owner or all keys of the account were suspended.',
    next_step: 'Resume the key in the portal (operators: hostplane admin keys resume).',
  },
  api_key_revoked: {
    status: 401,
    title: 'API key revoked',
    when: 'The API key was revoked. This cannot be undone.',
    next_step:
      'Create a new key in the portal (operators: hostplane admin keys create), because a revoked key never works again.',
  },
  permission_denied: {
    status: 403,
    title: 'Permission missing',
    when: 'Your API key, or the role of its owner, does not have the permission that this endpoint requires.',
    next_step:
      'Use a key that has the permission named in required_permission, or create one in the portal (operators: hostplane admin keys create --permission).',
    extra: ['required_permission', 'denied_by'],
  },
  product_not_enabled: {
    status: 403,
    title: 'Product not enabled',
    when: 'Your account does not have this product.',
    next_step: 'Ask your provider to enable the product (hostplane admin accounts enable-product).',
    extra: ['family', 'required_permission', 'denied_by'],
  },
  ip_not_allowed: {
    status: 403,
    title: 'Address not on the allowlist',
    when: 'Your account enforces an IP allowlist, and the address you call from is not on it.',
    next_step:
      'Call from an address that is on the allowlist, or add the address in client_ip to it in the portal (operators: hostplane admin allowlist add).',
    extra: ['client_ip'],
  },
  account_restricted: {
    status: 403,
    title: 'Account restricted',
    when: 'Your account is restricted: calls that raise its cost are refused.',
    next_step: 'Ask your provider why your account is restricted and what to do.',
    extra: ['required_permission', 'denied_by'],
  },
  account_suspended: {
    status: 403,
    title: 'Account suspended',
    when: 'Your account is suspended or closing, and this call is not allowed in that state.',
    next_step: 'Ask your provider why your account is suspended and what to do.',
    extra: ['required_permission', 'denied_by'],
  },
  portal_only: {
    status: 403,
    title: 'Locked by a person',
    when: 'A person has locked this setting, and the call would loosen it.',
    next_step: 'Ask your provider to make this change (hostplane admin budgets).',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    when: 'Your account has no resource with this id. It may never have existed, be deleted, or belong to another account.',
    next_step: 'Check the id, for example by listing the resources of this type.',
  },
  endpoint_not_found: {
    status: 404,
    title: 'No such endpoint',
    when: 'The API has no endpoint with this path.',
    next_step: 'Look up the exact path with GET /account/v1/my-apis or in /openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    when: 'The path exists, but it does not support this method. The Allow header lists the methods it supports.',
    next_step: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Format not available',
    when: 'The endpoint cannot answer in any of the formats in your Accept header.',
    next_step: 'Send Accept: application/json.',
  },
  request_timeout: {
    status: 408,
    title: 'Body received too slowly',
    when: 'The complete body did not arrive within 30 seconds.',
    next_step: 'Send the request again over a faster connection.',
    retryable: true,
  },
  operation_in_progress: {
    status: 409,
    title: 'Another operation is running',
    when: 'Another operation is running on the resource.',
    next_step: 'Wait until the operation in operation_id has ended, then repeat the call.',
    retryable: true,
    extra: ['operation_id'],
  },
  operation_queue_full: {
    status: 409,
    title: 'Too many operations waiting',
    when: 'Too many operations are already waiting for this resource.',
    next_step: 'Wait until some of these operations have ended, then repeat the call.',
    retryable: true,
    extra: ['operation_id'],
  },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    when: 'The resource is in a state that does not allow this call.',
    next_step: 'Bring the resource into one of the states in allowed_states, then repeat the call.',
    extra: ['current_state', 'allowed_states'],
  },
  vm_not_stopped: {
    status: 409,
    title: 'Machine is not stopped',
    when: 'The machine must be stopped for this call.',
    next_step:
      'Stop the machine with the action shutdown, or with power_off if the guest does not react, then repeat the call.',
    extra: ['current_state', 'allowed_states'],
  },
  vm_not_running: {
    status: 409,
    title: 'Machine is not running',
    when: 'The machine must be running for this call.',
    next_step: 'Start the machine with the action power_on, then repeat the call.',
    extra: ['current_state', 'allowed_states'],
  },
  vm_in_rescue: {
    status: 409,
    title: 'Machine is in rescue mode',
    when: 'The machine is in rescue mode, which does not allow this call.',
    next_step:
      'Leave rescue mode with POST /flexible-vps/v1/vms/{id}/rescue and `enabled` false (also `restart` false if a stopped machine must stay stopped), then repeat the call.',
    extra: ['current_state'],
  },
  vm_has_snapshots: {
    status: 409,
    title: 'Machine has snapshots',
    when: 'The call would delete the snapshots of the machine.',
    next_step:
      'Create an image from each snapshot in snapshot_ids that you want to keep, then repeat the call with delete_snapshots true, which deletes all of them.',
    extra: ['snapshot_ids'],
  },
  newer_snapshots_exist: {
    status: 409,
    title: 'Newer snapshots exist',
    when: 'The call would delete all snapshots that are newer than the one you want to restore.',
    next_step:
      'Restore the newest snapshot, or create an image from each snapshot in snapshot_ids that you want to keep and repeat the call with delete_newer_snapshots true, which deletes all of them.',
    extra: ['snapshot_ids'],
  },
  live_resize_unavailable: {
    status: 409,
    title: 'Live resize not possible',
    when: 'The machine cannot be resized to this size while it is running.',
    next_step: 'Use mode cold, which stops and starts the machine.',
    extra: ['reason'],
  },
  guest_agent_unavailable: {
    status: 409,
    title: 'Guest agent not reachable',
    when: 'This call needs the guest agent inside the machine, and the agent does not answer.',
    next_step:
      'Install or start the guest agent, or wait until the machine has booted, then repeat the call.',
    extra: ['agent_last_seen_at'],
  },
  capability_missing: {
    status: 409,
    title: 'Not offered at this location',
    when: 'The infrastructure at this location does not support this.',
    next_step: 'Read the detail for the reason, then change the request or use another location.',
    extra: ['capability'],
  },
  placement_unsatisfiable: {
    status: 409,
    title: 'No host fits the placement group',
    when: 'No host meets the rules of the strict placement group.',
    next_step: 'Use a placement group that is not strict, or another location.',
    extra: ['placement_group_id'],
  },
  ssh_key_exists: {
    status: 409,
    title: 'SSH key already exists',
    when: 'Your account already has this SSH key.',
    next_step: 'Use the key in existing_id, or repeat the call with ?if_exists=return.',
    extra: ['existing_id'],
  },
  cidr_overlap: {
    status: 409,
    title: 'Networks overlap',
    when: 'Two networks of the same machine or VPN gateway, or a network and a range of the VPN, would overlap.',
    next_step: 'Use a network or a range that does not overlap.',
    extra: ['existing_id'],
  },
  public_key_taken: {
    status: 409,
    title: 'Public key already used',
    when: 'Another peer of the same VPN gateway has this public key.',
    next_step: 'Use the peer in existing_id, or generate another key pair.',
    extra: ['existing_id'],
  },
  not_cancellable: {
    status: 409,
    title: 'Cannot be cancelled',
    when: 'The operation has already ended, or it can no longer be stopped.',
    next_step: 'Wait until the operation has ended, then check its result.',
    extra: ['operation_status'],
  },
  resource_protected: {
    status: 409,
    title: 'Resource is protected',
    when: 'The resource is protected against this call.',
    next_step: 'If you are sure, remove the protection with PATCH, then repeat the call.',
  },
  resource_in_use: {
    status: 409,
    title: 'Resource is in use',
    when: 'Other resources use this resource.',
    next_step: 'Stop using it in the resources in used_by, then repeat the call.',
    extra: ['used_by', 'used_by_count'],
  },
  resource_suspended: {
    status: 409,
    title: 'Resource suspended',
    when: 'The provider has suspended this resource.',
    next_step: 'Ask your provider why the resource is suspended.',
  },
  already_attached: {
    status: 409,
    title: 'Already attached',
    when: 'The resource is already attached to another resource.',
    next_step: 'Detach it from the resource in attached_to, or set `move` to true to take it from there.',
    extra: ['attached_to'],
  },
  name_taken: {
    status: 409,
    title: 'Name already used',
    when: 'Another resource of this type in your account already has this name.',
    next_step: 'Choose another name, or use the resource in existing_id.',
    extra: ['existing_id'],
  },
  address_taken: {
    status: 409,
    title: 'Address already used',
    when: 'The address is already in use, or it is not one that your account released recently (in quarantine).',
    next_step: 'Choose another address, or let the provider choose one.',
    extra: ['existing_id'],
  },
  address_blocked: {
    status: 409,
    title: 'Address blocked',
    when: 'The provider has blocked the address.',
    next_step: 'Ask your provider why the address is blocked.',
  },
  not_releasable: {
    status: 409,
    title: 'Address cannot be released',
    when: 'The address is ephemeral, or it is the primary address of a machine.',
    next_step: 'Delete or cancel the machine that uses the address.',
  },
  quota_exceeded: {
    status: 409,
    title: 'Limit reached',
    when: 'The call would exceed a limit of your account.',
    next_step: 'Delete what you no longer need, or ask your provider to raise the limit in limit_id.',
    extra: ['limit_id', 'limit', 'used', 'requested'],
  },
  capacity_unavailable: {
    status: 409,
    title: 'No capacity available',
    when: 'The provider does not have enough capacity for this request at the moment.',
    next_step: 'Choose one of the alternatives, or repeat the call after the seconds in Retry-After.',
    retryable: true,
    extra: ['alternatives'],
  },
  budget_exceeded: {
    status: 409,
    title: 'Budget exceeded',
    when: 'The cost of the call would exceed a blocking budget of your account.',
    next_step:
      'Raise the budget with PUT /account/v1/budgets/{id} and repeat all its other members (without `action` it would no longer block), ask your provider if it is locked, or reduce other costs first.',
    extra: ['budget_id', 'amount', 'spent', 'committed', 'requested'],
  },
  approval_required: {
    status: 409,
    title: 'Approval required',
    when: 'A person must approve this call before your key can make it.',
    next_step:
      'Wait until the operation in operation_id has succeeded, then repeat the identical request with its id in the header Approval-Id.',
    extra: ['operation_id', 'approve_url', 'expires_at'],
  },
  approval_mismatch: {
    status: 409,
    title: 'Approval is for another request',
    when: 'Your request differs from the one that was approved.',
    next_step:
      'Repeat the approved request exactly, or send this one without Approval-Id to request a new approval.',
  },
  approval_expired: {
    status: 409,
    title: 'Approval expired or already used',
    when: 'The approval is older than 15 minutes, or it was already used.',
    next_step: 'Send the request without Approval-Id to request a new approval.',
  },
  idempotency_key_conflict: {
    status: 409,
    title: 'Idempotency-Key used for another request',
    when: 'You used this Idempotency-Key within the last 24 hours with a different method, path or body.',
    next_step: 'Use a new Idempotency-Key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'First request still running',
    when: 'A request with the same Idempotency-Key is still running.',
    next_step: 'Repeat the same request after the seconds in Retry-After.',
    retryable: true,
  },
  create_cancelled: {
    status: 409,
    title: 'Creation cancelled',
    when: 'Your call with on_failure=delete waited for its resource, and its operation was cancelled. The resource does not exist.',
    next_step: 'If you still want the resource, repeat the call with a new Idempotency-Key.',
    extra: ['operation_id'],
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    when: 'The webhook is disabled, so it cannot redeliver messages.',
    next_step: 'Enable the webhook, then request the redelivery again.',
  },
  event_expired: {
    status: 409,
    title: 'Event no longer available',
    when: 'The event is older than 30 days and was deleted.',
    next_step: 'Read the current state of the resource instead.',
  },
  stream_limit_reached: {
    status: 409,
    title: 'Too many event streams',
    when: 'Your key already has 5 open event streams, or your account has 20.',
    next_step: 'Close a stream, then open a new one.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor too old',
    when: 'The event cursor is older than 30 days.',
    next_step: 'Read your resources again, then continue the feed from `since=now`.',
  },
  etag_mismatch: {
    status: 412,
    title: 'Resource changed in the meantime',
    when: 'The resource no longer has the version in If-Match, or it already has the version in If-None-Match.',
    next_step: 'Read the resource again, check your change, and repeat the call with the current ETag.',
    extra: ['current_etag'],
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    when: "The body is larger than the endpoint's limit.",
    next_step: 'Send a body of at most limit_bytes bytes.',
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
    when: 'One or more fields, query parameters or headers are not valid; errors lists all of them.',
    next_step: 'Correct all the fields listed in errors, then send the request again.',
  },
  source_unusable: {
    status: 422,
    title: 'Source cannot be used',
    when: 'Your call with on_failure=delete waited for its resource, and the file that it names could not be fetched or used. The resource does not exist.',
    next_step: 'Correct the source as operation_error says, then repeat the call with a new Idempotency-Key.',
    extra: ['operation_id', 'operation_error'],
  },
  query_too_large: {
    status: 422,
    title: 'Query too large',
    when: 'The query would return more series or data points than allowed.',
    next_step: 'Use a larger step or fewer resources.',
    extra: ['min_step_seconds'],
  },
  idempotency_key_required: {
    status: 422,
    title: 'Idempotency-Key required',
    when: 'This call places an order, and the header Idempotency-Key is missing.',
    next_step: 'Send the header Idempotency-Key with a value of your choice, a new one for each order.',
  },
  secret_in_text: {
    status: 422,
    title: 'Text contains a secret',
    when: 'A text that other people can read contains an API key or another secret.',
    next_step: 'Remove the secret from the text; if it is a real key, roll it in the portal.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    when: 'More than 200 requests came from your address within one minute.',
    next_step: 'Wait for the seconds in Retry-After, then repeat the call.',
    retryable: true,
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    when: 'The request has more than 100 headers, or its request line and headers are larger than 16 KiB.',
    next_step: 'Send the request with fewer or shorter headers and a shorter URL.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    when: 'Something failed on our side. The error is logged with the request id.',
    next_step:
      'Repeat the call with the same Idempotency-Key; if it fails again, send the request_id to your provider.',
    retryable: true,
  },
  create_failed: {
    status: 502,
    title: 'Creation failed',
    when: 'Your call with on_failure=delete waited for its resource, and the resource could not be created. It does not exist, unless the detail says that it could not be removed.',
    next_step:
      'Read operation_error; if its member retryable is true, repeat the call with a new Idempotency-Key, otherwise change the request or ask your provider.',
    extra: ['operation_id', 'operation_error'],
  },
  engine_unavailable: {
    status: 503,
    title: 'Service temporarily unavailable',
    when: 'The database or another system behind the API does not answer.',
    next_step: 'Repeat the call after the seconds in Retry-After.',
    retryable: true,
  },
  read_only_mode: {
    status: 503,
    title: 'Changes are paused',
    when: 'The provider is in maintenance or failing over.',
    next_step: 'Repeat the call after the seconds in Retry-After.',
    retryable: true,
  },
  allowlist_empty: {
    status: 422,
    title: 'Allowlist is empty',
    when: 'The allowlist has no active entry. The mode Enforce would lock out every key.',
    next_step: 'Add an entry first, or use the mode Off.',
    portalOnly: true,
  },
  allowlist_last_entry: {
    status: 409,
    title: 'Last entry of an enforced allowlist',
    when: 'This is the only active entry, and the mode is Enforce. Without it every key would be locked out.',
    next_step: 'Switch the mode to Off or Report only first, or add another entry.',
    portalOnly: true,
  },
  entry_exists: {
    status: 409,
    title: 'Entry already on the allowlist',
    when: 'The same range is already on the allowlist.',
    next_step: 'You do not need to do anything.',
    portalOnly: true,
  },
  cidr_too_broad: {
    status: 422,
    title: 'Range is too wide',
    when: 'The range is wider than /8 (IPv4) or /16 (IPv6).',
    next_step: 'Use narrower ranges; to allow every address, use the mode Off.',
    portalOnly: true,
  },
  host_bits_set: {
    status: 422,
    title: 'Range has host bits set',
    when: 'The address has bits set after its prefix length.',
    next_step: 'Use the range given in corrected.',
    portalOnly: true,
    extra: ['corrected'],
  },
  not_signed_in: {
    status: 401,
    title: 'Not signed in',
    when: 'You are not signed in, or your session has ended.',
    next_step: 'Sign in.',
    portalOnly: true,
  },
  sign_in_failed: {
    status: 401,
    title: 'Sign-in failed',
    when: 'The e-mail address or the password is wrong, or the passkey is not known here.',
    next_step:
      'Check what you typed; if you have just signed up, confirm your address first with the link in the mail.',
    portalOnly: true,
  },
  reauthentication_required: {
    status: 403,
    title: 'Confirm that it is you',
    when: 'This needs your password, a code or a passkey, entered within the last 10 minutes.',
    next_step: 'Enter your password, a code or a passkey, then try again.',
    portalOnly: true,
  },
  second_factor_required: {
    status: 403,
    title: 'Second factor required',
    when: 'This account can be used only by people who signed in with a second factor.',
    next_step:
      'Add a passkey or an app for one-time passwords to your sign-in, or sign in with the one you have.',
    portalOnly: true,
  },
  origin_not_allowed: {
    status: 403,
    title: 'Request from another site',
    when: 'The request does not come from a page of this portal.',
    next_step: 'Open the portal at its own address and try again.',
    portalOnly: true,
  },
  key_not_accepted: {
    status: 403,
    title: 'API keys do not work here',
    when: 'The portal is for people who sign in. It accepts no API key.',
    next_step: 'Send the API key to the API, and sign in to use the portal.',
    portalOnly: true,
  },
  sign_up_not_open: {
    status: 403,
    title: 'Sign-up is not open',
    when: 'The provider does not let everybody sign up.',
    next_step: 'Ask your provider, or a member of your account, for an invitation.',
    portalOnly: true,
  },
  link_not_valid: {
    status: 410,
    title: 'Link does not work any more',
    when: 'The link was used already, is too old, or was not copied completely.',
    next_step: 'Ask for a new link.',
    portalOnly: true,
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many attempts',
    when: 'There were too many attempts within a short time.',
    next_step: 'Wait for the seconds in Retry-After, or sign in with a passkey.',
    retryable: true,
    portalOnly: true,
  },
  sign_in_busy: {
    status: 503,
    title: 'Too many sign-ins at once',
    when: 'Too many people sign in at this moment.',
    next_step: 'Try again after the seconds in Retry-After.',
    retryable: true,
    portalOnly: true,
  },
});

export type ProblemCode = keyof typeof problems;

/** Codes for single fields, in `errors[]` of a 422. */
/** The codes of errors about one field of a request, and what each of them means. */
export const fieldMeanings = {
  required: 'It is missing.',
  invalid_format: 'It is of another type or form.',
  out_of_range: 'The value is too low or too high.',
  too_long: 'The text has too many characters.',
  too_short: 'The text has too few characters.',
  too_many: 'It has too many items or members.',
  too_few: 'It has too few items or members.',
  not_unique: 'Another item has the same value.',
  unknown_member: 'The call does not take it.',
  unknown_reference: 'Nothing of yours has this id or name.',
  unknown_resource_type: 'There is no such type.',
  unknown_event_type: 'There is no such type.',
  immutable: 'This call cannot change it.',
  mutually_exclusive: 'It excludes another member.',
  incompatible: 'It does not fit other values, or is not offered.',
  location_mismatch: 'It is in another location, or not sold there.',
  reserved_name: 'The name is not free to choose.',
  blocked_address: 'Messages cannot be sent there.',
  unverified_email: 'Nobody has confirmed the address.',
  confirmation_missing: 'Repeat the name of what will be lost.',
  confirmation_mismatch: 'It is not the name of what will be lost.',
  disk_shrink: 'A disk can only grow.',
  no_network: 'The machine would have no connection.',
} as const;

export type FieldCode = keyof typeof fieldMeanings;

export const fieldCodes = Object.keys(fieldMeanings) as readonly FieldCode[];
