/**
 * Event types of the account itself: its status, members and keys. They are declared in the kernel because the portal
 * writes them and does not import families; the account family publishes them.
 */
import { RoleNameShape } from '../access/roles.ts';
import { AllowlistModeShape, ApprovalMode, OpenAccountStatus, PublicId } from '../access/tables.ts';
import type { Registry, Resource } from '../registry.ts';
import { Id, Named, Nullable, Shape, Time, type TObject, type TProperties, Type } from '../schema.ts';
import { nothing } from './declaration.ts';
import type { EventType } from './event.ts';

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const time = (description: string) => ({ ...Time, description });

/** `data` of several event types has a name, so that the OpenAPI document describes it once. */
const details = (name: string, members: TProperties): TObject =>
  Named(name, Shape(members, { description: 'Its details.' }));

const isShape = (data: TProperties | TObject): data is TObject => typeof data.type === 'string';

const info = (type: string, when: string, data: TProperties | TObject = nothing): EventType => ({
  type,
  severity: 'info',
  when,
  data: isShape(data) ? data : Shape(data),
});
const warning = (type: string, when: string, data: TProperties | TObject = nothing): EventType => ({
  ...info(type, when, data),
  severity: 'warning',
});

const standing = details('AccountStatusDetails', {
  before: { ...OpenAccountStatus, description: 'The status until now.' },
  after: { ...OpenAccountStatus, description: 'The status from now on.' },
});
const product = details('ProductDetails', {
  family: text('The product family that was switched on or off.'),
  reason: Nullable(text('Why it was switched off; null if nobody gave a reason.')),
});
const key = { public_id: PublicId };
const client = {
  client_ip: text('The address that the call came from.'),
  operation_id: text('The call: the `operationId` in this document, such as `listVms`.'),
};
const keyState = details('ApiKeyDetails', key);
const keyUse = details('ApiKeyUseDetails', { ...key, ...client });
const denial = details('AddressDenialDetails', {
  api_key_id: Id('key', { description: 'The key that made the call.' }),
  ...key,
  ...client,
});
const role = details('MemberRoleDetails', { role: RoleNameShape });
const roleChange = {
  before: { ...RoleNameShape, description: 'The role until now.' },
  after: { ...RoleNameShape, description: 'The role from now on.' },
};
const approval = {
  action: text('The call that needs approval: its `operationId` in this document.'),
  api_key_id: Id('key', { description: 'The key that made the call.' }),
  expires_at: time('Until then a person can decide, or the approved call can be made.'),
};
const request = details('ApprovalDetails', approval);
const decision = details('ApprovalDecisionDetails', {
  ...approval,
  decided_by: text('The member who decided.'),
});
const modes = {
  before: { ...AllowlistModeShape, description: 'The mode until now.' },
  after: { ...AllowlistModeShape, description: 'The mode from now on.' },
};

export const accountEventTypes: readonly EventType[] = [
  warning(
    'account.restricted',
    'The account was restricted: calls that raise its cost are refused.',
    standing,
  ),
  warning(
    'account.suspended',
    'The account was suspended: it can only be read, and resources can be deleted.',
    standing,
  ),
  warning(
    'account.closing',
    'An owner closes the account: it can only be read, and resources can be deleted.',
    standing,
  ),
  info('account.reinstated', 'The account is active again.', standing),
  info('account.product_enabled', 'A product family was enabled for the account.', product),
  warning('account.product_disabled', 'A product family was disabled for the account.', product),
  warning('limit.nearly_reached', '80 percent of a limit are used.', {
    limit_id: text('The id of the limit, as `listLimits` shows it.'),
    location: Nullable(
      text('The location that the limit counts in; null if it counts in the whole account.'),
    ),
    parent_id: Nullable(
      text('The resource that the limit counts in; null if it counts in the whole account.'),
    ),
    limit: count('The value of the limit.'),
    used: count('How much of the limit is used now.'),
  }),
  info('limit.raised', 'A limit of the account was raised.', {
    limit_id: text('The id of the limit, as `listLimits` shows it.'),
    before: Nullable(count('The value until now; null if it was unlimited.')),
    after: Nullable(count('The value from now on; null if it is unlimited.')),
  }),

  info('api_key.created', 'A key was created.', {
    ...key,
    owner_id: Nullable(Id('mem', { description: 'The member who owns the key; null if it has no owner.' })),
    permissions: Type.Array(Type.String(), {
      description: 'The patterns of the permissions that the key has.',
    }),
    approval: ApprovalMode,
    expires_at: Nullable(time('When the key stops working; null if it does not expire.')),
  }),
  info('api_key.rolled', 'A key was replaced by a new one and expires soon.', {
    ...key,
    replaced_by: Id('key', { description: 'The id of the new key.' }),
    expires_at: time('When the old key stops working.'),
  }),
  warning('api_key.expiring', 'A key expires in 14, 3 or 1 days.', {
    ...key,
    expires_at: time('When the key stops working.'),
    days_left: { ...count('Days until the key stops working.'), 'x-unit': 'days' },
  }),
  warning('api_key.expired', 'A key expired.', {
    ...key,
    expires_at: time('When the key stopped working.'),
  }),
  warning('api_key.suspended', 'A key was suspended.', keyState),
  info('api_key.resumed', 'A suspended key works again.', keyState),
  warning('api_key.revoked', 'A key was revoked, which is final.', {
    ...key,
    by: text('The key, member or system that revoked it.'),
    reason: Nullable(text('The reason that was given; null if none was.')),
  }),
  warning('api_key.exposed', 'A key was found in a place where other people can read it.', {
    ...key,
    source: text('Where the key was found.'),
  }),
  info('api_key.first_used', 'A key was used for the first time.', keyUse),
  warning(
    'api_key.used_from_new_address',
    'A key was used from an address (for IPv6: a /64) from which it was not used in the last 90 days.',
    keyUse,
  ),

  warning('ip_allowlist.mode_changed', 'The mode of the IP allowlist was changed.', modes),
  info('ip_allowlist.entries_changed', 'Ranges were added to the IP allowlist or removed from it.', {
    added: Type.Array(Type.String(), { description: 'The ranges that were added.' }),
    removed: Type.Array(Type.String(), { description: 'The ranges that were removed.' }),
  }),
  warning(
    'ip_allowlist.denied',
    'A call was refused because of its address. At most one event per hour for each key and address.',
    denial,
  ),
  info(
    'ip_allowlist.would_deny',
    'A call would be refused because of its address if the allowlist were enforced. At most one event per hour for each key and address.',
    denial,
  ),
  warning('ip_allowlist.empty', 'The IP allowlist has no active range left.', {
    mode: AllowlistModeShape,
  }),

  info('member.invited', 'A person was invited to become a member.', role),
  info('member.joined', 'A person became a member.', role),
  info(
    'member.role_changed',
    'The role of a member changed. The keys of the member are limited by the new role.',
    roleChange,
  ),
  warning('member.suspended', 'A member was suspended, together with all keys of the member.'),
  info('member.removed', 'A member was removed.', {
    revoked_keys: Type.Array(Type.String(), {
      description: 'The ids of the keys that were revoked with it.',
    }),
    transferred_keys: Type.Array(Type.String(), {
      description: 'The ids of the keys that another member owns now.',
    }),
  }),

  warning('approval.requested', 'A call waits for a person to approve it.', request),
  info('approval.approved', 'A person approved a call; it may be made once.', decision),
  info('approval.denied', 'A person refused a call.', decision),
  info('approval.expired', 'Nobody decided in time, or the approved call was not made in time.', request),
];

/** The resources that these events are about. */
export const accountResources: readonly Resource[] = [
  'account',
  'limit',
  'api_key',
  'ip_allowlist',
  'member',
  'approval',
].map((type) => ({
  type,
  words: type === 'api_key' ? 'API key' : type.replaceAll('_', ' '),
  eventTypes: accountEventTypes.filter((event) => event.type.startsWith(`${type}.`)),
}));

/** For code that writes account events without a registry. All these event types belong to the account family. */
export function declaredAs(types: readonly EventType[]): Pick<Registry, 'eventTypes' | 'subjects'> {
  return {
    eventTypes: new Map(types.map((type) => [type.type, { ...type, family: 'account' }])),
    subjects: new Map(),
  };
}
