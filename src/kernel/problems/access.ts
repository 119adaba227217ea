/** Problems of calls that their key, or its owner, may not make. */
import type { ProblemDefinition } from '../../contract/form.ts';

export const accessProblems = {
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
} as const satisfies Readonly<Record<string, ProblemDefinition>>;
