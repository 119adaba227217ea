import { ApprovalMode, OpenAccountStatus } from '../../../kernel/access/tables.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { Family, familyNames } from '../../../kernel/families.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import {
  byOthers,
  byRule,
  CreatedAt,
  Etag,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  Time,
  Type,
  UpdatedAt,
} from '../../../kernel/schema.ts';
import { readProfile } from './store.ts';

const contacts = (topic: string) =>
  Type.Array(Type.String({ format: 'email' }), {
    ...byOthers,
    description: `E-mail addresses for ${topic}.`,
  });

const Profile = Named(
  'Profile',
  Shape({
    id: OwnId('acc'),
    name: Type.String({ description: 'The name of the account, usually that of the company.' }),
    status: OpenAccountStatus,
    currency: Type.String({ description: 'The currency of all prices and costs, as an ISO 4217 code.' }),
    country: Type.String({
      description: 'The country of the account, as an ISO 3166 code with two letters.',
    }),
    // Only names of the time zone database are accepted.
    timezone: Type.String({
      ...byRule,
      description: 'The time zone of the account, such as `Europe/Berlin`. The API uses UTC.',
    }),
    products: Type.Array(
      Shape({
        family: Family,
        enabled: Type.Boolean({ description: 'Whether the account may use the family.' }),
        since: Nullable({
          ...Time,
          description: 'When it was last switched on or off; null if it never was.',
        }),
        reason: Nullable(
          Type.String({ description: 'Why it is off; null if it is on or nobody gave a reason.' }),
        ),
      }),
      { description: 'All product families, and whether the account may use them.' },
    ),
    contacts: Shape(
      {
        technical: contacts('technical notices'),
        abuse: contacts('complaints about abuse'),
        security: contacts('security incidents'),
      },
      { description: 'Whom the provider writes to. Set by a person.' },
    ),
    support_plan: OneOf(
      {
        basic: 'The support that is part of every account.',
        business: 'Support for businesses, as agreed with the provider.',
        premium: 'The highest level of support, as agreed with the provider.',
      },
      { description: 'The level of support of the account.' },
    ),
    key_policy: Shape(
      {
        max_lifetime_days: Nullable(
          Type.Integer({
            'x-unit': 'days',
            description: 'The longest lifetime of a new key; null: no limit.',
          }),
        ),
        non_expiring_allowed: Type.Boolean({
          description: 'Whether new keys may be made that never expire.',
        }),
        default_approval: {
          ...ApprovalMode,
          description: 'The approval mode that new keys get unless it is chosen.',
        },
        mfa_required: Type.Boolean({
          description: 'Whether members need a second factor to sign in.',
        }),
      },
      { description: 'The rules for new API keys. Set by a person.' },
    ),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
);

const example = {
  id: 'acc_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'Example GmbH',
  status: 'active',
  currency: 'EUR',
  country: 'DE',
  timezone: 'Europe/Berlin',
  products: [
    { family: 'account', enabled: true, since: '2026-01-10T09:00:00.000Z', reason: null },
    { family: 'flexible-vps', enabled: true, since: '2026-01-10T09:00:00.000Z', reason: null },
    { family: 'datacenter', enabled: false, since: null, reason: 'Not ordered' },
  ],
  contacts: { technical: ['ops@example.com'], abuse: ['abuse@example.com'], security: [] },
  support_plan: 'business',
  key_policy: {
    max_lifetime_days: 365,
    non_expiring_allowed: false,
    default_approval: 'off',
    mfa_required: true,
  },
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-01-10T09:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};

export const getAccountProfile = endpoint({
  id: 'getAccountProfile',
  method: 'GET',
  path: '/account/v1/profile',
  summary: 'Get the account profile',
  description: 'Name, status, currency, enabled products, contacts and the policy for API keys.',
  permission: 'account:profile:read',
  access: 'read',
  resource: { name: 'profile', role: 'read' },
  answers: { 200: Profile },
  problems: [],
  example: { answer: { status: 200, body: example } },
  async handle({ db, caller }) {
    const account = await readProfile(db, caller.account.id);
    const bought = new Map(account.products.map((product) => [product.family, product]));
    return ok({
      id: account.id,
      name: account.name,
      status: account.status,
      currency: account.currency,
      country: account.country,
      timezone: account.timezone,
      products: familyNames.map((family) => {
        const product = bought.get(family);
        const since = product?.since ?? null;
        return family === 'account'
          ? { family, enabled: true, since: account.created_at.toISOString(), reason: null }
          : { family, enabled: product?.enabled ?? false, since, reason: product?.reason ?? null };
      }),
      contacts: account.contacts,
      support_plan: account.support_plan,
      key_policy: {
        max_lifetime_days: account.key_max_lifetime_days,
        non_expiring_allowed: account.key_non_expiring_allowed,
        default_approval: account.key_default_approval,
        mfa_required: account.mfa_required,
      },
      etag: etagOf(account.id, account.version),
      created_at: account.created_at.toISOString(),
      updated_at: account.updated_at.toISOString(),
    });
  },
});
