import { lifetimes } from '../../../kernel/access/lifetimes.ts';
import { presetNames } from '../../../kernel/access/presets.ts';
import { approvals } from '../../../kernel/access/tables.ts';
import { contractPermissions } from '../../../kernel/access/vocabulary.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { byProvider, Id, Nullable, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { setKeyPolicy, suspendAllKeys } from '../../../portal-api/accounts/key-policy.ts';
import type { AccountRow } from '../../../portal-api/accounts/store.ts';
import { Line, Money } from '../../../portal-api/input.ts';
import { changeKey } from '../../../portal-api/keys/change.ts';
import { createKey } from '../../../portal-api/keys/creation.ts';
import { resumeKey, revocationReasons, revokeKey, suspendKey } from '../../../portal-api/keys/life.ts';
import {
  keySorts,
  pageOfKeys,
  showKey,
  statusFilters,
  summariseKeys,
} from '../../../portal-api/keys/list.ts';
import { transferKey } from '../../../portal-api/keys/ownership.ts';
import { overlaps, rollKey } from '../../../portal-api/keys/roll.ts';
import type { KeyView } from '../../../portal-api/keys/view.ts';
import { namesOf } from '../../../portal-api/members/names.ts';
import { act, type MemberCall } from '../act.ts';
import { Policy, Summary, WithSecret } from '../answers.ts';
import { KeyShape, Listed, Nothing, Text } from '../shapes.ts';

const PATH = '/accounts/{account_id}/keys';
const chosen = ({ accountId, params }: MemberCall) => ({
  account_id: accountId,
  key_id: params['key_id'] ?? '',
});

export const rulesOf = ({ registry, provider }: Services) => ({
  vocabulary: contractPermissions(registry),
  catalogue: provider.catalogue,
});

export const viewPolicy = (account: AccountRow) => ({
  max_lifetime_days: account.key_max_lifetime_days,
  non_expiring_allowed: account.key_non_expiring_allowed,
  default_approval: account.key_default_approval,
  keys_suspended: account.keys_suspended,
});

/** What people choose for a new key. */
export const NewKeyMembers = {
  name: Line(1, 64),
  expires_in: Type.Optional(OneOf(lifetimes)),
  permissions: Type.Optional(
    Type.Array(Type.String({ ...byProvider, maxLength: 200 }), { minItems: 1, maxItems: 100 }),
  ),
  preset: Type.Optional(OneOf(presetNames)),
  approval: Type.Optional(OneOf(approvals)),
};

/** Names the member of this act's input in place of the one that the function below has. */
export function renamed(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof Problem)) return error;
  const errors = error.errors.map((each) => (each.pointer === from ? { ...each, pointer: to } : each));
  return error.withErrors(errors);
}

/** The keys, with the names of those who revoked them. */
async function withNames({ db }: Services, accountId: string, keys: readonly KeyView[]): Promise<KeyView[]> {
  const nameOf = await namesOf(
    db,
    accountId,
    keys.map(({ revoked }) => revoked?.by ?? null),
  );
  return keys.map((key) => ({
    ...key,
    revoked: key.revoked && { ...key.revoked, by: nameOf(key.revoked.by) },
  }));
}

export const keyActs = [
  act({
    id: 'listApiKeys',
    method: 'GET',
    path: PATH,
    summary: 'List the API keys of the account',
    input: Shape({
      status: Type.Optional(OneOf(statusFilters)),
      owner_id: Type.Optional(Id('mem')),
      text: Type.Optional(Line(1, 100)),
      sort: Type.Optional(OneOf(keySorts)),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    answer: Listed(KeyShape),
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId }, input) {
      const { data, next_cursor } = await pageOfKeys(services, accountId, input);
      return { data: await withNames(services, accountId, data), next_cursor };
    },
  }),
  act({
    id: 'getKeySummary',
    method: 'GET',
    path: '/accounts/{account_id}/key-summary',
    summary: 'See how many keys there are, and which need somebody',
    input: Nothing,
    answer: Summary,
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    handle: ({ services, accountId }) => summariseKeys(services.db, accountId),
  }),
  act({
    id: 'getApiKey',
    method: 'GET',
    path: `${PATH}/{key_id}`,
    summary: 'See an API key',
    input: Nothing,
    answer: KeyShape,
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId, params }) {
      const key = await showKey(services.db, accountId, params['key_id'] ?? '');
      const [named = key] = await withNames(services, accountId, [key]);
      return named;
    },
  }),
  act({
    id: 'changeApiKey',
    method: 'PATCH',
    path: `${PATH}/{key_id}`,
    summary: 'Change the name or the notes of an API key',
    input: Shape({ name: Type.Optional(Line(1, 64)), notes: Type.Optional(Line(0, 255)) }),
    answer: KeyShape,
    authority: 'reader',
    reauthentication: false,
    audit: 'account',
    handle: (call, input) => changeKey(call.services.db, call.actor, { ...chosen(call), ...input }),
  }),
  act({
    id: 'createApiKey',
    method: 'POST',
    path: PATH,
    summary: 'Create an API key',
    input: Shape({
      ...NewKeyMembers,
      approval_over_monthly: Type.Optional(Money),
      notes: Type.Optional(Line(0, 255)),
    }),
    answer: WithSecret,
    status: 201,
    authority: 'reader',
    reauthentication: true,
    audit: 'account',
    handle: ({ services, actor, accountId }, input) =>
      createKey(services.db, actor, { account_id: accountId, ...input }, rulesOf(services)),
  }),
  act({
    id: 'rollApiKey',
    method: 'POST',
    path: `${PATH}/{key_id}/roll`,
    summary: 'Replace an API key by a new one',
    input: Shape({
      overlap: Type.Optional(OneOf(overlaps)),
      expires_in: NewKeyMembers.expires_in,
      permissions: NewKeyMembers.permissions,
    }),
    answer: WithSecret,
    status: 201,
    authority: 'reader',
    reauthentication: true,
    audit: 'account',
    handle: (call, input) =>
      rollKey(call.services.db, call.actor, { ...chosen(call), ...input }, rulesOf(call.services)),
  }),
  act({
    id: 'suspendApiKey',
    method: 'POST',
    path: `${PATH}/{key_id}/suspend`,
    summary: 'Suspend an API key',
    input: Nothing,
    answer: KeyShape,
    authority: 'reader',
    reauthentication: false,
    audit: 'account',
    handle: (call) => suspendKey(call.services.db, call.actor, chosen(call)),
  }),
  act({
    id: 'resumeApiKey',
    method: 'POST',
    path: `${PATH}/{key_id}/resume`,
    summary: 'Resume a suspended API key',
    input: Nothing,
    answer: KeyShape,
    authority: 'reader',
    reauthentication: true,
    audit: 'account',
    handle: (call) => resumeKey(call.services.db, call.actor, chosen(call)),
  }),
  act({
    id: 'revokeApiKey',
    method: 'POST',
    path: `${PATH}/{key_id}/revoke`,
    summary: 'Revoke an API key for good',
    input: Shape({
      reason: Type.Optional(OneOf(revocationReasons)),
      comment: Type.Optional(Line(1, 200)),
    }),
    answer: KeyShape,
    authority: 'reader',
    reauthentication: false,
    harmlessChoices: ['reason'],
    audit: 'account',
    handle: (call, input) => revokeKey(call.services.db, call.actor, { ...chosen(call), ...input }),
  }),
  act({
    id: 'transferApiKey',
    method: 'POST',
    path: `${PATH}/{key_id}/transfer`,
    summary: 'Give an API key to another member',
    input: Shape({ member_id: Text }),
    answer: KeyShape,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: (call, { member_id }) =>
      transferKey(
        call.services.db,
        call.actor,
        { ...chosen(call), owner_id: member_id },
        call.services.provider.catalogue,
      ).catch((error: unknown) => {
        throw renamed(error, '/owner_id', '/member_id');
      }),
  }),
  act({
    id: 'setKeyPolicy',
    method: 'PUT',
    path: '/accounts/{account_id}/key-policy',
    summary: 'Limit the lifetime of new keys and choose their approval',
    input: Shape({
      max_lifetime_days: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 365 }))),
      non_expiring_allowed: Type.Optional(Type.Boolean()),
      default_approval: Type.Optional(OneOf(approvals)),
    }),
    answer: Policy,
    authority: 'owner',
    reauthentication: true,
    audit: 'account',
    handle: async ({ services, actor, accountId }, input) =>
      viewPolicy(await setKeyPolicy(services.db, actor, { account_id: accountId, ...input })),
  }),
  act({
    id: 'suspendAllKeys',
    method: 'POST',
    path: `${PATH}/suspend-all`,
    summary: 'Suspend all keys of the account at once, or resume them',
    input: Shape({ suspended: Type.Boolean() }),
    answer: Policy,
    authority: 'admin',
    reauthentication: { by: 'suspended', safe: [true] },
    audit: 'account',
    handle: async ({ services, actor, accountId }, { suspended }) =>
      viewPolicy(await suspendAllKeys(services.db, actor, { account_id: accountId, suspended })),
  }),
];
