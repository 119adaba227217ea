/**
 * Event types of the account itself: its status, members and keys. They are declared in the kernel because the portal
 * writes them and does not import families; the account family publishes them.
 */
import { roleNames } from '../access/roles.ts';
import { accountStatuses, allowlistModes, approvals } from '../access/tables.ts';
import type { Registry, Resource } from '../registry.ts';
import { Nullable, OneOf, Shape, Time, type TProperties, Type } from '../schema.ts';
import type { EventType } from './event.ts';

const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });

const info = (type: string, when: string, data: TProperties = {}): EventType => ({
  type,
  severity: 'info',
  when,
  data: Shape(data),
});
const warning = (type: string, when: string, data: TProperties = {}): EventType => ({
  ...info(type, when, data),
  severity: 'warning',
});

const standing = { before: OneOf(accountStatuses), after: OneOf(accountStatuses) };
const product = { family: Text, reason: Nullable(Text) };
const key = { public_id: Text };
const keyUse = { ...key, client_ip: Text, operation_id: Text };
const denial = { api_key_id: Text, public_id: Text, client_ip: Text, operation_id: Text };
const roleChange = { before: OneOf(roleNames), after: OneOf(roleNames) };
const approval = { action: Text, api_key_id: Text, expires_at: Time };
const decision = { ...approval, decided_by: Text };

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
  info('account.reinstated', 'The account is active again.', standing),
  info('account.product_enabled', 'A product family was enabled for the account.', product),
  warning('account.product_disabled', 'A product family was disabled for the account.', product),
  warning('limit.nearly_reached', '80 percent of a limit are used.', {
    limit_id: Text,
    location: Nullable(Text),
    parent_id: Nullable(Text),
    limit: Count,
    used: Count,
  }),
  info('limit.raised', 'A limit of the account was raised.', {
    limit_id: Text,
    before: Nullable(Count),
    after: Nullable(Count),
  }),

  info('api_key.created', 'A key was created.', {
    ...key,
    owner_id: Nullable(Text),
    permissions: Type.Array(Text),
    approval: OneOf(approvals),
    expires_at: Nullable(Time),
  }),
  info('api_key.rolled', 'A key was replaced by a new one and expires soon.', {
    ...key,
    replaced_by: Text,
    expires_at: Time,
  }),
  warning('api_key.expiring', 'A key expires in 14, 3 or 1 days.', {
    ...key,
    expires_at: Time,
    days_left: Count,
  }),
  warning('api_key.expired', 'A key expired.', { ...key, expires_at: Time }),
  warning('api_key.suspended', 'A key was suspended.', key),
  info('api_key.resumed', 'A suspended key works again.', key),
  warning('api_key.revoked', 'A key was revoked, which is final.', {
    ...key,
    by: Text,
    reason: Nullable(Text),
  }),
  warning('api_key.exposed', 'A key was found in a place where other people can read it.', {
    ...key,
    source: Text,
  }),
  info('api_key.first_used', 'A key was used for the first time.', keyUse),
  warning(
    'api_key.used_from_new_address',
    'A key was used from an address (for IPv6: a /64) from which it was not used in the last 90 days.',
    keyUse,
  ),

  warning('ip_allowlist.mode_changed', 'The mode of the IP allowlist was changed.', {
    before: OneOf(allowlistModes),
    after: OneOf(allowlistModes),
  }),
  info('ip_allowlist.entries_changed', 'Ranges were added to the IP allowlist or removed from it.', {
    added: Type.Array(Text),
    removed: Type.Array(Text),
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
    mode: OneOf(allowlistModes),
  }),

  info('member.invited', 'A person was invited to become a member.', { role: OneOf(roleNames) }),
  info('member.joined', 'A person became a member.', { role: OneOf(roleNames) }),
  info(
    'member.role_changed',
    'The role of a member changed. The keys of the member are limited by the new role.',
    roleChange,
  ),
  warning('member.suspended', 'A member was suspended, together with all keys of the member.', {}),
  info('member.removed', 'A member was removed.', {
    revoked_keys: Type.Array(Text),
    transferred_keys: Type.Array(Text),
  }),

  warning('approval.requested', 'A call waits for a person to approve it.', approval),
  info('approval.approved', 'A person approved a call; it may be made once.', decision),
  info('approval.denied', 'A person refused a call.', decision),
  info('approval.expired', 'Nobody decided in time, or the approved call was not made in time.', approval),
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
  eventTypes: accountEventTypes.filter((event) => event.type.startsWith(`${type}.`)),
}));

/** For code that writes account events without a registry. All these event types belong to the account family. */
export function declaredAs(types: readonly EventType[]): Pick<Registry, 'eventTypes' | 'subjects'> {
  return {
    eventTypes: new Map(types.map((type) => [type.type, { ...type, family: 'account' }])),
    subjects: new Map(),
  };
}
