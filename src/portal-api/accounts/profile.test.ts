import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actorOf, fieldsOf, openPortal, refusalOf, staff, type TestPortal } from '../../testing/portal.ts';
import { changeAccountProfile } from './profile.ts';
import { setAccountStatus } from './status.ts';
import { showAccount } from './view.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const contacts = { technical: ['ops@example.com'], abuse: [], security: ['sec@example.com'] };

describe('the profile of an account', () => {
  it('is changed by its admins, with an entry that has each change', async () => {
    const { account } = await portal.newAccount({ name: 'Before GmbH' });
    const admin = actorOf(await portal.newMember(account.id, 'admin'));
    const input = { account_id: account.id, name: 'After GmbH', timezone: 'Europe/Paris', contacts };
    await changeAccountProfile(portal.db, admin, input);
    expect(await showAccount(portal.db, account.id)).toMatchObject({
      name: 'After GmbH',
      timezone: 'Europe/Paris',
      contacts,
    });
    const entry = (await portal.audit(account.id)).at(-1);
    expect(entry?.changes.map(({ pointer }) => pointer).sort()).toEqual(['/contacts', '/name', '/timezone']);
    await changeAccountProfile(portal.db, admin, input);
    expect((await portal.audit(account.id)).at(-1)).toMatchObject({
      action: 'changeAccountProfile',
      changes: [],
    });
  });

  it('is refused with all faults at once', async () => {
    const { account, owner } = await portal.newAccount();
    const refusal = await refusalOf(
      changeAccountProfile(portal.db, actorOf(owner), {
        account_id: account.id,
        name: ' ',
        timezone: 'Mars/Base',
        contacts: { ...contacts, abuse: ['nobody'] },
      }),
    );
    expect(fieldsOf(refusal)).toEqual([
      '/contacts/abuse/0 invalid_format',
      '/name invalid_format',
      '/timezone invalid_format',
    ]);
  });

  it('is not changed by members below admins', async () => {
    const { account } = await portal.newAccount();
    const operator = actorOf(await portal.newMember(account.id, 'operator'));
    const refusal = await refusalOf(
      changeAccountProfile(portal.db, operator, { account_id: account.id, name: 'Mine' }),
    );
    expect(refusal.code).toBe('permission_denied');
  });
});

describe('closing an account', () => {
  it('needs its name typed, and nothing is deleted; the provider can open it again', async () => {
    const { account, owner } = await portal.newAccount({ name: 'Leaving GmbH' });
    const input = { account_id: account.id, status: 'closing' } as const;
    const close = (typedName: string) => setAccountStatus(portal.db, actorOf(owner), input, { typedName });
    expect(fieldsOf(await refusalOf(close('Leaving')))).toEqual(['/name confirmation_mismatch']);
    expect(await close(' Leaving GmbH ')).toMatchObject({ status: 'closing' });
    const active = { account_id: account.id, status: 'active' } as const;
    expect((await refusalOf(setAccountStatus(portal.db, actorOf(owner), active))).code).toBe(
      'permission_denied',
    );
    expect(await setAccountStatus(portal.db, staff, active)).toMatchObject({ status: 'active' });
  });
});
