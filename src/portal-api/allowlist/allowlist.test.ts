import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreak } from '../../kernel/audit/store.ts';
import { newId } from '../../kernel/ids.ts';
import {
  actorOf,
  catalogue,
  fieldsOf,
  openPortal,
  refusalOf,
  refusalsOf,
  rules,
  staff,
  type TestPortal,
  untilWaiting,
} from '../../testing/portal.ts';
import { createKey } from '../keys/creation.ts';
import { revokeKey } from '../keys/life.ts';
import { type AddAllowlistEntry, addAllowlistEntry, removeAllowlistEntry } from './entries.ts';
import { setAllowlistMode } from './mode.ts';
import { previewEnforce, showAllowlist } from './view.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const newAccountId = async () => (await portal.newAccount()).account.id;
const add = (account_id: string, cidr: string, more: Partial<AddAllowlistEntry> = {}) =>
  addAllowlistEntry(portal.db, staff, { account_id, cidr, ...more }, catalogue);
const setMode = (account_id: string, mode: 'off' | 'report_only' | 'enforce', confirm?: number) =>
  setAllowlistMode(portal.db, staff, { account_id, mode, ...(confirm === undefined ? {} : { confirm }) });
const remove = (account_id: string, entry_id: string) =>
  removeAllowlistEntry(portal.db, staff, { account_id, entry_id });

async function expire(entryId: string): Promise<void> {
  const expires_at = new Date(Date.now() - 1000);
  await portal.db.updateTable('ip_allowlist_entries').set({ expires_at }).where('id', '=', entryId).execute();
}

async function sight(accountId: string, keyId: string, clientIp: string, daysAgo = 1): Promise<void> {
  const at = new Date(Date.now() - daysAgo * 86_400_000);
  await portal.db
    .insertInto('key_denials')
    .values({
      id: newId('key_denial'),
      account_id: accountId,
      cause: 'ip_restriction',
      code: 'ip_not_allowed',
      enforced: false,
      allowlist_mode: 'report_only',
      key_id: keyId,
      key_public_id: 'EXAMPLEkey00',
      key_name: 'ci',
      client_ip: clientIp,
      method: 'GET',
      path_template: '/account/v1/whoami',
      operation_id: 'getWhoami',
      required_permission: null,
      denied_by: null,
      user_agent: '',
      count: 3,
      first_at: at,
      last_at: at,
      last_request_id: 'req_1',
    })
    .execute();
}

describe('entries of the allowlist', () => {
  it('are stored in their canonical form, each write raising the version', async () => {
    const account = await newAccountId();
    const { entry } = await add(account, '::ffff:203.0.113.7', { note: 'Office' });
    await add(account, '2001:DB8:0::/48');
    const shown = await showAllowlist(portal.db, account);
    expect(shown).toMatchObject({
      mode: 'off',
      version: 3,
      entries: [{ cidr: '203.0.113.7/32', note: 'Office' }, { cidr: '2001:db8::/48' }],
    });
    await remove(account, entry.id);
    expect(await showAllowlist(portal.db, account)).toMatchObject({ version: 4, entries: [{ note: '' }] });
    expect((await portal.audit(account)).map(({ action }) => action).slice(1)).toEqual([
      'addIpAllowlistEntry',
      'addIpAllowlistEntry',
      'removeIpAllowlistEntry',
    ]);
    expect(await findBreak(portal.db, account)).toBeNull();
  });

  it.each([
    ['10.0.0.0/7', 'cidr_too_broad', '/cidr out_of_range'],
    ['::/0', 'cidr_too_broad', '/cidr out_of_range'],
    ['203.0.113.7/24', 'host_bits_set', '/cidr invalid_format'],
    ['203.0.113', 'validation_failed', '/cidr invalid_format'],
    ['fe80::1%eth0', 'validation_failed', '/cidr invalid_format'],
    ['224.0.0.0/8', 'validation_failed', '/cidr invalid_format'],
  ])('%s is refused as %s', async (cidr, code, field) => {
    const account = await newAccountId();
    const refusal = await refusalOf(add(account, cidr));
    expect([refusal.code, fieldsOf(refusal)]).toEqual([code, [field]]);
    if (code === 'host_bits_set') expect(refusal.extra).toEqual({ corrected: '203.0.113.0/24' });
  });

  it('are refused with every bad field at once', async () => {
    const account = await newAccountId();
    const refusal = await refusalOf(
      add(account, '203.0.113.7/24', { note: 'n'.repeat(101), expires_at: '2001-01-01T00:00:00Z' }),
    );
    expect([refusal.code, ...fieldsOf(refusal)]).toEqual([
      'validation_failed',
      '/cidr invalid_format',
      '/expires_at out_of_range',
      '/note too_long',
    ]);
  });

  it('are unique, unless the existing one has expired', async () => {
    const account = await newAccountId();
    const { entry } = await add(account, '203.0.113.7');
    expect((await refusalOf(add(account, '203.0.113.7/32'))).code).toBe('entry_exists');
    await expire(entry.id);
    const renewed = await add(account, '203.0.113.7');
    expect(renewed.entry.id).not.toBe(entry.id);
    expect((await showAllowlist(portal.db, account)).entries).toHaveLength(1);
  });

  it('warn when another entry covers them and when an IPv6 range is very narrow', async () => {
    const account = await newAccountId();
    await add(account, '203.0.113.0/24');
    await add(account, '2001:db8::/48');
    expect((await add(account, '203.0.113.7')).warnings).toMatchObject([{ code: 'covered_by_entry' }]);
    const narrow = await add(account, '2001:db8::1');
    expect(narrow.warnings.map(({ code }) => code)).toEqual(['covered_by_entry', 'narrow_ipv6_range']);
  });

  it('are limited to a thousand', async () => {
    const account = await newAccountId();
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      id: newId('allowlist_entry'),
      account_id: account,
      cidr: `10.${i >> 8}.${i & 255}.0/24`,
      created_by: 'test',
    }));
    await portal.db.insertInto('ip_allowlist_entries').values(rows).execute();
    const refusal = await refusalOf(add(account, '203.0.113.7'));
    expect([refusal.code, refusal.extra.limit]).toEqual(['quota_exceeded', 1000]);
  });

  it('belong to one account, and are written by its owners and admins only', async () => {
    const account = await newAccountId();
    const other = await newAccountId();
    const { entry } = await add(account, '203.0.113.7');
    expect((await refusalOf(remove(other, entry.id))).code).toBe('not_found');
    const operator = actorOf(await portal.newMember(account, 'operator'));
    const byOperator = await refusalsOf([
      addAllowlistEntry(portal.db, operator, { account_id: account, cidr: '192.0.2.1' }, catalogue),
      removeAllowlistEntry(portal.db, operator, { account_id: account, entry_id: entry.id }),
      setAllowlistMode(portal.db, operator, { account_id: account, mode: 'report_only' }),
    ]);
    expect(new Set(byOperator.map(({ code }) => code))).toEqual(new Set(['permission_denied']));
  });
});

describe('the mode of the allowlist', () => {
  it('cannot be enforced without an active entry', async () => {
    const account = await newAccountId();
    expect((await refusalOf(setMode(account, 'enforce'))).code).toBe('allowlist_empty');
    const { entry } = await add(account, '203.0.113.7');
    await expire(entry.id);
    expect((await refusalOf(setMode(account, 'enforce'))).code).toBe('allowlist_empty');
    expect(await setMode(account, 'report_only')).toMatchObject({
      mode: 'report_only',
      version: 3,
      mode_changed: { by: 'provider_staff:operator' },
    });
    expect(await setMode(account, 'report_only')).toMatchObject({ version: 3 });
  });

  it('keeps the last active entry while enforced, whatever else has expired', async () => {
    const account = await newAccountId();
    const { entry: kept } = await add(account, '203.0.113.7');
    const { entry: expired } = await add(account, '192.0.2.1');
    await setMode(account, 'enforce');
    await expire(expired.id);
    expect((await refusalOf(remove(account, kept.id))).code).toBe('allowlist_last_entry');
    await remove(account, expired.id);
    await add(account, '198.51.100.1');
    await remove(account, kept.id);
    expect((await showAllowlist(portal.db, account)).entries).toMatchObject([{ cidr: '198.51.100.1/32' }]);
  });

  it('is never enforced with an empty list, even if removals and mode changes race', async () => {
    const account = await newAccountId();
    const { entry } = await add(account, '203.0.113.7');
    let outcomes: Promise<PromiseSettledResult<unknown>[]> | undefined;
    // Holding this lock lets both calls proceed as far as they can before either may write.
    await portal.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('ip_allowlists')
        .selectAll()
        .where('account_id', '=', account)
        .forUpdate()
        .execute();
      outcomes = Promise.allSettled([remove(account, entry.id), setMode(account, 'enforce')]);
      await untilWaiting(portal.db, 2);
    });
    expect((await outcomes)?.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { mode, entries } = await showAllowlist(portal.db, account);
    expect([mode, entries.length]).not.toEqual(['enforce', 0]);
  });

  it('shows which keys would be denied, before and when it is enforced', async () => {
    const account = await newAccountId();
    const key = async (name: string) =>
      (await createKey(portal.db, staff, { account_id: account, name, preset: 'read-only' }, rules)).key.id;
    const ci = await key('ci');
    const gone = await key('gone');
    await add(account, '203.0.113.0/24');
    await sight(account, ci, '203.0.113.9');
    await sight(account, ci, '192.0.2.1');
    await sight(account, ci, '192.0.2.1');
    await sight(account, ci, '192.0.2.2', 31);
    await sight(account, gone, '192.0.2.3');
    await revokeKey(portal.db, staff, { account_id: account, key_id: gone });
    const preview = await previewEnforce(portal.db, account);
    expect(preview.would_deny).toMatchObject([{ key_id: ci, client_ip: '192.0.2.1', count: 6 }]);
    expect(preview.warnings).toMatchObject([{ code: 'report_only_too_short' }]);
    const wrong = await refusalOf(setMode(account, 'enforce', 0));
    expect(fieldsOf(wrong)).toEqual(['/confirm confirmation_mismatch']);
    expect(await setMode(account, 'enforce', 1)).toMatchObject({
      mode: 'enforce',
      would_deny: [{ key_id: ci }],
    });
  });

  it('needs no warning after a day of Report only', async () => {
    const account = await newAccountId();
    await add(account, '203.0.113.7');
    await setMode(account, 'report_only');
    expect((await previewEnforce(portal.db, account)).warnings[0]?.detail).toContain('has run for 0 hours');
    await portal.db
      .updateTable('ip_allowlists')
      .set({ mode_changed_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('account_id', '=', account)
      .execute();
    expect(await setMode(account, 'enforce')).toMatchObject({ mode: 'enforce', warnings: [] });
  });
});
