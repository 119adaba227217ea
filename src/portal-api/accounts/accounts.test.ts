import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountStatus } from '../../kernel/access/tables.ts';
import { findBreak } from '../../kernel/audit/store.ts';
import {
  actorOf,
  catalogue,
  fieldsOf,
  openPortal,
  refusalOf,
  staff,
  type TestPortal,
} from '../../testing/portal.ts';
import { setKeyPolicy, suspendAllKeys } from './key-policy.ts';
import { setLimit } from './limits.ts';
import { setProduct } from './products.ts';
import { setAccountStatus } from './status.ts';
import { listAccounts, showAccount } from './view.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

describe('an account', () => {
  it('is created with its owner, products, an allowlist that is off, and one audit entry', async () => {
    const { account, owner } = await portal.newAccount({ name: 'Example GmbH', currency: 'CHF' });
    const shown = await showAccount(portal.db, account.id);
    expect(shown).toMatchObject({
      name: 'Example GmbH',
      status: 'active',
      currency: 'CHF',
      country: 'DE',
      members: 1,
      keys: 0,
    });
    expect(shown.products.map(({ family, enabled }) => [family, enabled])).toEqual([
      ['datacenter', false],
      ['storage', true],
    ]);
    expect(owner).toMatchObject({ role: 'owner', status: 'active' });
    const [entry, ...rest] = await portal.audit(account.id);
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({
      action: 'createAccount',
      outcome: 'succeeded',
      source: 'system',
      actor: { kind: 'provider_staff', name: 'operator' },
    });
    expect(await findBreak(portal.db, account.id)).toBeNull();
  });

  it('is refused with all faults at once, and nothing is created', async () => {
    const before = (await listAccounts(portal.db)).length;
    const refusal = await refusalOf(
      portal.newAccount({ name: ' x', currency: 'euro', timezone: 'Mars/Base', owner_email: 'nobody' }),
    );
    expect(fieldsOf(refusal)).toEqual([
      '/currency invalid_format',
      '/name invalid_format',
      '/owner_email invalid_format',
      '/timezone invalid_format',
    ]);
    expect(await listAccounts(portal.db)).toHaveLength(before);
  });

  it('is found by id and by exact name', async () => {
    const { account } = await portal.newAccount({ name: 'Nadel AG' });
    expect(await listAccounts(portal.db, { idOrName: 'Nadel AG' })).toMatchObject([{ id: account.id }]);
    expect(await listAccounts(portal.db, { idOrName: account.id })).toMatchObject([{ name: 'Nadel AG' }]);
    expect(await listAccounts(portal.db, { idOrName: 'Nadel' })).toEqual([]);
    expect((await refusalOf(showAccount(portal.db, 'acc_none'))).code).toBe('not_found');
  });

  it('cannot have an API key in its name', async () => {
    const name = 'hpk1_EXAMPLEkey00_EXAMPLEONLYdoNOTuse00000000000001bUagA';
    expect((await refusalOf(portal.newAccount({ name }))).code).toBe('secret_in_text');
  });
});

describe('the status of an account', () => {
  const legal: Record<AccountStatus, AccountStatus[]> = {
    active: ['restricted', 'suspended', 'closing'],
    restricted: ['active', 'suspended', 'closing'],
    suspended: ['active', 'restricted', 'closing'],
    closing: ['active', 'closed'],
    closed: [],
  };
  const ways: Record<AccountStatus, AccountStatus[]> = {
    active: [],
    restricted: ['restricted'],
    suspended: ['suspended'],
    closing: ['closing'],
    closed: ['closing', 'closed'],
  };
  const statuses = Object.keys(legal) as AccountStatus[];
  const cases = statuses.flatMap((from) =>
    statuses.filter((to) => to !== from).map((to) => [from, to] as const),
  );

  it.each(cases)('from %s to %s', async (from, to) => {
    const { account } = await portal.newAccount();
    for (const status of ways[from]) {
      await setAccountStatus(portal.db, staff, { account_id: account.id, status });
    }
    const move = setAccountStatus(portal.db, staff, { account_id: account.id, status: to });
    if (legal[from].includes(to)) {
      expect(await move).toMatchObject({ status: to, version: ways[from].length + 2 });
      return;
    }
    const refusal = await refusalOf(move);
    expect(refusal.code).toBe('invalid_state');
    expect(refusal.extra).toMatchObject({ current_state: from });
    expect((await showAccount(portal.db, account.id)).status).toBe(from);
  });

  it('is not changed if it already has that status, with an entry that says so', async () => {
    const { account } = await portal.newAccount();
    const same = await setAccountStatus(portal.db, staff, { account_id: account.id, status: 'active' });
    expect(same.version).toBe(1);
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({
      action: 'setAccountStatus',
      changes: [],
    });
  });

  it('is set by the provider, except that owners may close their account', async () => {
    const { account, owner } = await portal.newAccount();
    const admin = await portal.newMember(account.id, 'admin');
    const account_id = account.id;
    const set = (who: Parameters<typeof actorOf>[0], status: AccountStatus) =>
      setAccountStatus(portal.db, actorOf(who), { account_id, status });
    expect((await refusalOf(set(owner, 'restricted'))).code).toBe('permission_denied');
    expect((await refusalOf(set(admin, 'closing'))).code).toBe('permission_denied');
    expect(await set(owner, 'closing')).toMatchObject({ status: 'closing' });
    const [rejected] = (await portal.audit(account_id)).filter(({ outcome }) => outcome === 'rejected');
    expect(rejected).toMatchObject({
      source: 'portal',
      problem_code: 'permission_denied',
      client_ip: '203.0.113.7',
    });
    expect(await findBreak(portal.db, account_id)).toBeNull();
  });
});

describe('the settings of an account', () => {
  it('switch products on and off, with the time and the reason', async () => {
    const { account } = await portal.newAccount();
    const account_id = account.id;
    const on = await setProduct(portal.db, staff, { account_id, family: 'datacenter', enabled: true });
    expect(on.since).toBeInstanceOf(Date);
    await setProduct(portal.db, staff, { account_id, family: 'storage', enabled: false, reason: 'Not paid' });
    const shown = await showAccount(portal.db, account_id);
    expect(shown.version).toBe(3);
    expect(shown.products).toMatchObject([
      { family: 'datacenter', enabled: true },
      { family: 'storage', enabled: false, since: null, reason: 'Not paid' },
    ]);
    const last = (await portal.audit(account_id)).at(-1);
    expect(last).toMatchObject({
      action: 'disableProduct',
      changes: [
        { pointer: '/enabled', before: true, after: false },
        { pointer: '/reason', before: null, after: 'Not paid' },
      ],
    });
    const refusal = await refusalOf(
      setProduct(portal.db, staff, { account_id, family: 'account', enabled: false } as never),
    );
    expect(fieldsOf(refusal)).toEqual(['/family invalid_format']);
  });

  it('contain the key policy, in which a maximum lifetime and keys without expiry exclude each other', async () => {
    const { account, owner } = await portal.newAccount();
    const account_id = account.id;
    const both = { account_id, max_lifetime_days: 30, non_expiring_allowed: true };
    expect(fieldsOf(await refusalOf(setKeyPolicy(portal.db, staff, both)))).toEqual([
      '/non_expiring_allowed mutually_exclusive',
    ]);
    await setKeyPolicy(portal.db, actorOf(owner), { account_id, max_lifetime_days: 30 });
    const set = await setKeyPolicy(portal.db, staff, {
      account_id,
      non_expiring_allowed: true,
      default_approval: 'writes',
    });
    expect(set).toMatchObject({
      key_max_lifetime_days: null,
      key_non_expiring_allowed: true,
      key_default_approval: 'writes',
      version: 3,
    });
    const admin = await portal.newMember(account_id, 'admin');
    const asAdmin = setKeyPolicy(portal.db, actorOf(admin), { account_id, non_expiring_allowed: false });
    expect((await refusalOf(asAdmin)).code).toBe('permission_denied');
  });

  it('have a switch that suspends all keys', async () => {
    const { account } = await portal.newAccount();
    const account_id = account.id;
    expect(await suspendAllKeys(portal.db, staff, { account_id, suspended: true })).toMatchObject({
      keys_suspended: true,
      version: 2,
    });
    await suspendAllKeys(portal.db, staff, { account_id, suspended: false });
    const actions = (await portal.audit(account_id)).map(({ action }) => action);
    expect(actions).toEqual(['createAccount', 'suspendAllKeys', 'resumeAllKeys']);
  });

  it('override limits up to what may be asked for, and go back to the provider’s', async () => {
    const { account, owner } = await portal.newAccount();
    const account_id = account.id;
    const set = (value?: number | null) => {
      const chosen = value === undefined ? {} : { value };
      return setLimit(portal.db, staff, { account_id, limit_id: 'account.api-keys', ...chosen }, catalogue);
    };
    expect(await set(150)).toEqual({ limit_id: 'account.api-keys', value: 150, overridden: true });
    expect((await showAccount(portal.db, account_id)).limits).toEqual([
      { limit_id: 'account.api-keys', value: 150 },
    ]);
    expect(fieldsOf(await refusalOf(set(201)))).toEqual(['/value out_of_range']);
    expect(fieldsOf(await refusalOf(set(null)))).toEqual(['/value out_of_range']);
    expect(await set()).toEqual({ limit_id: 'account.api-keys', value: 100, overridden: false });
    expect((await showAccount(portal.db, account_id)).limits).toEqual([]);
    const unknown = setLimit(portal.db, staff, { account_id, limit_id: 'no.such', value: 1 }, catalogue);
    expect(fieldsOf(await refusalOf(unknown))).toEqual(['/limit_id unknown_reference']);
    const own = setLimit(
      portal.db,
      actorOf(owner),
      { account_id, limit_id: 'account.api-keys', value: 150 },
      catalogue,
    );
    expect((await refusalOf(own)).code).toBe('permission_denied');
  });
});
