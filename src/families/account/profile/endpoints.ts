import { etagOf } from '../../../kernel/etag.ts';
import { familyNames } from '../../../kernel/families.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Profile } from './schema.ts';
import { readProfile } from './store.ts';

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
