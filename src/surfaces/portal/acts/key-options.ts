import { approvals } from '../../../kernel/access/tables.ts';
import { OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { showAccount } from '../../../portal-api/accounts/view.ts';
import { accessOfKey, accessOfMember } from '../../../portal-api/keys/access.ts';
import { allowedLifetimes, defaultLifetime } from '../../../portal-api/keys/lifetime.ts';
import { keyOptions } from '../../../portal-api/keys/options.ts';
import { publicationOf } from '../../openapi/publication.ts';
import { act } from '../act.ts';
import { Access, Options } from '../answers.ts';
import { Nothing, Text, whole } from '../shapes.ts';
import { viewPolicy } from './keys.ts';

export const keyOptionActs = [
  act({
    id: 'getKeyOptions',
    method: 'GET',
    path: '/accounts/{account_id}/key-options',
    summary: 'See what a new API key can have',
    input: Nothing,
    answer: Options,
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
