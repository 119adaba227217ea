import { lifetimes } from '../../../kernel/access/lifetimes.ts';
import { approvals } from '../../../kernel/access/tables.ts';
import { Nullable, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { showAccount } from '../../../portal-api/accounts/view.ts';
import { accessOfKey, accessOfMember } from '../../../portal-api/keys/access.ts';
import { allowedLifetimes, defaultLifetime } from '../../../portal-api/keys/lifetime.ts';
import { keyOptions } from '../../../portal-api/keys/options.ts';
import { publicationOf } from '../../openapi/publication.ts';
import { act } from '../act.ts';
import { Listed, Nothing, Text, whole } from '../shapes.ts';
import { Policy, viewPolicy } from './keys.ts';

const Access = Listed(
  Shape({
    operation_id: Text,
    callable: Type.Boolean(),
    reason: Type.Optional(OneOf(['key', 'role', 'product', 'account_status', 'key_status'])),
    missing_permission: Type.Optional(Text),
  }),
);

const Option = Shape({
  pattern: Text,
  access: Text,
  summary: Text,
  sensitive: Type.Boolean(),
  allowed: Type.Boolean(),
});

export const keyOptionActs = [
  act({
    id: 'getKeyOptions',
    method: 'GET',
    path: '/accounts/{account_id}/key-options',
    summary: 'See what a new API key can have',
    input: Nothing,
    answer: Shape({
      presets: Type.Array(
        Shape({
          id: Text,
          title: Text,
          description: Text,
          permissions: Type.Array(Text),
          /** What a key of this preset gets if nothing else is chosen; null: what the account says. */
          approval: Nullable(OneOf(approvals)),
          expires_in: Nullable(OneOf(lifetimes)),
        }),
      ),
      families: Type.Array(
        Shape({
          id: Text,
          title: Text,
          resources: Type.Array(Shape({ id: Text, title: Text, permissions: Type.Array(Option) })),
        }),
      ),
      lifetimes: Type.Array(OneOf(lifetimes)),
      default_lifetime: OneOf(lifetimes),
      approval_modes: Type.Array(OneOf(approvals)),
      policy: Policy,
    }),
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId, membership }) {
      const account = await showAccount(services.db, accountId);
      return {
        ...keyOptions(services.registry, services.provider.catalogue, membership.role),
        lifetimes: allowedLifetimes(account),
        default_lifetime: defaultLifetime(account),
        approval_modes: approvals,
        policy: viewPolicy(account),
      };
    },
  }),
  act({
    id: 'getKeyAccess',
    method: 'GET',
    path: '/accounts/{account_id}/keys/{key_id}/access',
    summary: 'See what an API key may call',
    input: Nothing,
    answer: Access,
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    handle: async ({ services, accountId, params }) =>
      whole(await accessOfKey(services.db, services.registry, accountId, params['key_id'] ?? '')),
  }),
  act({
    id: 'getKeySpecification',
    method: 'GET',
    path: '/accounts/{account_id}/keys/{key_id}/specification',
    summary: 'Read the part of the specification for an API key',
    input: Shape({ format: Type.Optional(OneOf(['json', 'yaml'])) }),
    answer: Shape({ text: Text }),
    authority: 'reader',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId, params }, { format = 'json' }) {
      const access = await accessOfKey(services.db, services.registry, accountId, params['key_id'] ?? '');
      const callable = access.filter((each) => each.callable).map(({ operation_id: id }) => id);
      return { text: publicationOf(services).partWith(callable, format) };
    },
  }),
  act({
    id: 'getMyAccess',
    method: 'GET',
    path: '/accounts/{account_id}/access',
    summary: 'See what you may call yourself',
    input: Nothing,
    answer: Access,
    authority: 'member',
    reauthentication: false,
    audit: 'none',
    handle: async ({ services, accountId, membership }) =>
      whole(
        await accessOfMember(services.db, services.registry, accountId, {
          memberId: membership.member_id,
          role: membership.role,
        }),
      ),
  }),
];
