/**
 * Types of what happens to the account itself: its standing, its people, its keys. They are declared beside the kernel's
 * own tables because the portal writes them and knows no family; the account family publishes them with the rest.
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
    'Calls that raise the cost of the account are refused from now on.',
    standing,
  ),
  warning('account.suspended', 'The account may only be read and cleared from now on.', standing),
  info('account.reinstated', 'The account is active again.', standing),
  info('account.product_enabled', 'The account may use a product family.', product),
  warning('account.product_disabled', 'The account may no longer use a product family.', product),
  warning('limit.nearly_reached', 'Of what a limit allows, 80 percent are used.', {
    limit_id: Text,
    location: Nullable(Text),
    limit: Count,
    used: Count,
  }),
  info('limit.raised', 'The account may have more of something than before.', {
    limit_id: Text,
    before: Nullable(Count),
    after: Nullable(Count),
  }),

  info('api_key.created', 'A key was made.', {
    ...key,
    owner_id: Nullable(Text),
    permissions: Type.Array(Text),
    approval: OneOf(approvals),
    expires_at: Nullable(Time),
  }),
  info('api_key.rolled', 'A key got a successor and ends soon.', {
    ...key,
    replaced_by: Text,
    expires_at: Time,
  }),
  warning('api_key.expiring', 'A key ends in 14, 3 or 1 days.', {
    ...key,
    expires_at: Time,
    days_left: Count,
  }),
  warning('api_key.expired', 'A key has come to its end.', { ...key, expires_at: Time }),
  warning('api_key.suspended', 'A key was paused.', key),
  info('api_key.resumed', 'A paused key works again.', key),
  warning('api_key.revoked', 'A key was ended for good.', { ...key, by: Text, reason: Nullable(Text) }),
  warning('api_key.exposed', 'A key was found where others can read it.', { ...key, source: Text }),
  info('api_key.first_used', 'A key was used for the first time.', keyUse),
  warning(
    'api_key.used_from_new_address',
    'A key was used from an address (of IPv6: a /64) that it did not come from within 90 days.',
    keyUse,
  ),

  warning('ip_allowlist.mode_changed', 'The IP allowlist was switched.', {
    before: OneOf(allowlistModes),
    after: OneOf(allowlistModes),
  }),
  info('ip_allowlist.entries_changed', 'Ranges were put on the IP allowlist or taken off it.', {
    added: Type.Array(Text),
    removed: Type.Array(Text),
  }),
  warning(
    'ip_allowlist.denied',
    'A call was refused for its address. At most one in an hour for each key and address.',
    denial,
  ),
  info(
    'ip_allowlist.would_deny',
    'A call would be refused for its address if the allowlist were enforced. At most one in an hour for each key and address.',
    denial,
  ),
  warning('ip_allowlist.empty', 'The IP allowlist has no range left that is in force.', {
    mode: OneOf(allowlistModes),
  }),

  info('member.invited', 'Somebody was asked to become a member.', { role: OneOf(roleNames) }),
  info('member.joined', 'Somebody became a member.', { role: OneOf(roleNames) }),
  info('member.role_changed', 'A member has another role; the keys of the member follow it.', roleChange),
  warning('member.suspended', 'A member was suspended, and with the member all keys.', {}),
  info('member.removed', 'Somebody is no longer a member.', {
    revoked_keys: Type.Array(Text),
    transferred_keys: Type.Array(Text),
  }),

  warning('approval.requested', 'A call waits for a person to approve it.', approval),
  info('approval.approved', 'A person approved a call; it may be made once.', decision),
  info('approval.denied', 'A person refused a call.', decision),
  info('approval.expired', 'Nobody decided in time, or the approved call was not made in time.', approval),
];

/** The things that these events are about. */
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

/** For writers that know no registry; all that such types are about belongs to the account family. */
export function declaredAs(types: readonly EventType[]): Pick<Registry, 'eventTypes' | 'subjects'> {
  return {
    eventTypes: new Map(types.map((type) => [type.type, { ...type, family: 'account' }])),
    subjects: new Map(),
  };
}
