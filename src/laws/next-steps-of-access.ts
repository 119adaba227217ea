/** Trials of the problems of keys, rights, approvals and the allowlist. */
import { contractPermissions } from '../kernel/access/vocabulary.ts';
import { setProduct } from '../portal-api/accounts/products.ts';
import { addAllowlistEntry, removeAllowlistEntry } from '../portal-api/allowlist/entries.ts';
import { setAllowlistMode } from '../portal-api/allowlist/mode.ts';
import { approveRequest } from '../portal-api/approvals/decision.ts';
import { lockBudget, setBudget } from '../portal-api/budgets/budgets.ts';
import { createKey as createInPortal } from '../portal-api/keys/creation.ts';
import { resumeKey, suspendKey } from '../portal-api/keys/life.ts';
import { createKey } from '../testing/accounts.ts';
import { freshAddress } from '../testing/app.ts';
import { staff } from '../testing/portal.ts';
import { forgeKey } from './forged-keys.ts';
import {
  type Customer,
  once,
  type Refusal,
  refusedInPortal,
  type Trial,
  type Trials,
} from './next-step-trial.ts';
import { freshName } from './world.ts';

const WHOAMI = '/account/v1/whoami';
const WIDGETS = '/workshop/v1/widgets';

const widget = () => ({ body: { name: freshName(), size: 1 } });

async function newKey({ app, db, accountId }: Customer, permissions: string[]): Promise<string> {
  const input = { account_id: accountId, name: freshName(), permissions };
  const rules = {
    vocabulary: contractPermissions(app.registry),
    catalogue: app.services.provider.catalogue,
  };
  return (await createInPortal(db, staff, input, rules)).secret;
}

const useNewKey = (customer: Customer, refused: Refusal): Trial => ({
  refused,
  follow: async () => customer.call('GET', WHOAMI, { key: await newKey(customer, ['account:*:read']) }),
});

async function heldKey({ db, vps }: Customer): Promise<string> {
  return (await createKey(db, vps.account, { approval: 'writes' })).key;
}

const approve = ({ app, db, accountId }: Customer, id: unknown) =>
  approveRequest(db, staff, { account_id: accountId, operation_id: String(id) }, app.registry);

async function addRange({ app, db, accountId }: Customer, cidr: string): Promise<unknown> {
  const { catalogue } = app.services.provider;
  return addAllowlistEntry(db, staff, { account_id: accountId, cidr }, catalogue);
}

const otherRange = (wrong: string, right: (refused: Refusal) => string) => async (c: Customer) => {
  const refused = await refusedInPortal(addRange(c, wrong));
  return {
    refused,
    follow: async () => {
      await addRange(c, right(refused));
      return undefined;
    },
  };
};

export const accessTrials: Trials = {
  api_key_missing: (c) => c.instead(['GET', WHOAMI, { key: undefined }], () => ['GET', WHOAMI]),
  bearer_not_supported: (c) =>
    c.instead(['GET', WHOAMI, { key: undefined, headers: { authorization: `Bearer ${c.vps.key}` } }], () => [
      'GET',
      WHOAMI,
    ]),
  api_key_malformed: (c) =>
    c.instead(['GET', WHOAMI, { key: c.vps.key.slice(0, -1) }], () => ['GET', WHOAMI]),
  api_key_invalid: (c) =>
    c.instead(['GET', WHOAMI, { key: forgeKey('NoSuchKey000') }], () => ['GET', WHOAMI]),
  api_key_expired: async (c) => {
    const { key } = await createKey(c.db, c.vps.account, { expires_at: new Date(Date.now() - 1000) });
    return useNewKey(c, await c.refused('GET', WHOAMI, { key }));
  },
  api_key_suspended: async (c) => {
    const { key, id } = await createKey(c.db, c.vps.account);
    const choice = { account_id: c.accountId, key_id: id };
    await suspendKey(c.db, staff, choice);
    return {
      refused: await c.refused('GET', WHOAMI, { key }),
      follow: async () => {
        await resumeKey(c.db, staff, choice);
        return once(() => c.call('GET', WHOAMI, { key }));
      },
    };
  },
  api_key_revoked: async (c) => {
    const { key } = await createKey(c.db, c.vps.account, { status: 'revoked' });
    return useNewKey(c, await c.refused('GET', WHOAMI, { key }));
  },
  permission_denied: async (c) => {
    const { key } = await createKey(c.db, c.vps.account, { permissions: ['account:self:read'] });
    return c.instead(['GET', '/account/v1/usage', { key }], async (refused) => [
      'GET',
      '/account/v1/usage',
      { key: await newKey(c, [String(refused['required_permission'])]) },
    ]);
  },
  product_not_enabled: async (c) => {
    const product = { account_id: c.accountId, family: 'flexible-vps' as const };
    await setProduct(c.db, staff, { ...product, enabled: false });
    const url = '/flexible-vps/v1/vms';
    return {
      refused: (
        await once(
          () => c.call('GET', url),
          ({ statusCode }) => statusCode === 403,
        )
      ).json(),
      follow: async () => {
        await setProduct(c.db, staff, { ...product, enabled: true });
        return once(() => c.call('GET', url));
      },
    };
  },
  ip_not_allowed: async (c) => {
    const { catalogue } = c.app.services.provider;
    const list = { account_id: c.accountId };
    await addAllowlistEntry(c.db, staff, { ...list, cidr: '192.0.2.1' }, catalogue);
    await setAllowlistMode(c.db, staff, { ...list, mode: 'enforce' });
    const from = freshAddress();
    const send = () => c.call('GET', WHOAMI, { from });
    const refused = (await once(send, ({ statusCode }) => statusCode === 403)).json<Refusal>();
    return {
      refused,
      follow: async () => {
        await addAllowlistEntry(c.db, staff, { ...list, cidr: String(refused['client_ip']) }, catalogue);
        return once(send);
      },
    };
  },
  portal_only: async (c) => {
    const url = '/account/v1/budgets/cap';
    const body = { amount: '10', thresholds: [{ percent: 100 }] };
    await c.call('PUT', url, { body });
    await lockBudget(c.db, staff, { account_id: c.accountId, budget: 'cap' });
    return {
      refused: await c.refused('PUT', url, { body: { ...body, amount: '20' } }),
      follow: async () => {
        const wanted = { account_id: c.accountId, budget: 'cap', ...body, amount: '20' };
        await setBudget(c.db, staff, wanted, c.app.services.provider.catalogue);
        return undefined;
      },
    };
  },
  approval_required: async (c) => {
    const [key, request] = [await heldKey(c), widget()];
    return c.instead(['POST', WIDGETS, { ...request, key }], async (refused) => {
      await approve(c, refused['operation_id']);
      const headers = { 'approval-id': String(refused['operation_id']) };
      return ['POST', WIDGETS, { ...request, key, headers }];
    });
  },
  approval_mismatch: async (c) => {
    const [key, request] = [await heldKey(c), widget()];
    const { operation_id } = await c.refused('POST', WIDGETS, { ...request, key });
    await approve(c, operation_id);
    const headers = { 'approval-id': String(operation_id) };
    return c.instead(['POST', WIDGETS, { ...widget(), key, headers }], () => [
      'POST',
      WIDGETS,
      { ...request, key, headers },
    ]);
  },
  approval_expired: async (c) => {
    const key = await heldKey(c);
    const id = await c.made(WIDGETS, widget().body);
    const patch = (headers: Record<string, string> = {}) =>
      ['PATCH', `${WIDGETS}/${id}`, { body: { size: 2 }, key, headers }] as const;
    const { operation_id } = await c.refused(...patch());
    await approve(c, operation_id);
    const used = { 'approval-id': String(operation_id) };
    await c.call(...patch(used));
    return c.instead([...patch(used)], async () => {
      const { operation_id: next } = await c.refused(...patch());
      await approve(c, next);
      return [...patch({ 'approval-id': String(next) })];
    });
  },
  allowlist_empty: async (c) => {
    const list = { account_id: c.accountId };
    const enforce = () => setAllowlistMode(c.db, staff, { ...list, mode: 'enforce' });
    return {
      refused: await refusedInPortal(enforce()),
      follow: async () => {
        const { catalogue } = c.app.services.provider;
        await addAllowlistEntry(c.db, staff, { ...list, cidr: '192.0.2.1' }, catalogue);
        await enforce();
        return undefined;
      },
    };
  },
  allowlist_last_entry: async (c) => {
    const list = { account_id: c.accountId };
    const { catalogue } = c.app.services.provider;
    const { entry } = await addAllowlistEntry(c.db, staff, { ...list, cidr: '192.0.2.1' }, catalogue);
    await setAllowlistMode(c.db, staff, { ...list, mode: 'enforce' });
    const remove = () => removeAllowlistEntry(c.db, staff, { ...list, entry_id: entry.id });
    return {
      refused: await refusedInPortal(remove()),
      follow: async () => {
        await setAllowlistMode(c.db, staff, { ...list, mode: 'off' });
        await remove();
        return undefined;
      },
    };
  },
  entry_exists: async (c) => {
    await addRange(c, '192.0.2.1');
    return { refused: await refusedInPortal(addRange(c, '192.0.2.1')), follow: async () => undefined };
  },
  cidr_too_broad: otherRange('10.0.0.0/7', () => '10.0.0.0/8'),
  host_bits_set: otherRange('10.0.0.1/8', ({ corrected }) => String(corrected)),
};
