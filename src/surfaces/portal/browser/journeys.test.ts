/** What people do in the portal, in a real browser against the real server. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { tabTo } from '../../../testing/browser/keyboard.ts';
import { type BrowserPortal, openPortal } from '../../../testing/browser/portal.ts';
import { insertDenial, type Seeded, seedAccount, seedTopics } from '../../../testing/browser/seed.ts';
import { createPerson, createSession, joinAccount, mailedToken, PASSWORD } from '../../../testing/people.ts';

const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';

describeInBrowser('people in the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
  });

  afterAll(() => portal.close());

  const addDenial = (values: { cause: 'permission' | 'ip_restriction'; client_ip: string }) =>
    insertDenial(portal.t.services.db, seeded, { ...values, user_agent: HOSTILE });

  it('get from sign-up to the first call with a new key, with the keyboard alone', async () => {
    await portal.withTab({}, async ({ page, open }) => {
      const email = `keyboard-${newId('person').slice(-8)}@example.com`;
      await open('/portal/sign-up');
      await page.keyboard.type('Katherine Johnson');
      for (const text of [email, 'a long pass phrase of mine', 'Orbit Ltd']) {
        await page.keyboard.press('Tab');
        await page.keyboard.type(text);
      }
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await tabTo(page, 'Create account');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();

      const token = await mailedToken(portal.t.services.db, email, 'verify_email');
      await page.goto(`${portal.origin}/portal/verify#${token}`);
      await page.getByRole('button', { name: 'Confirm and sign in' }).waitFor();
      await tabTo(page, 'Confirm and sign in');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /Katherine/ }).waitFor();

      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      await page.keyboard.type('create key secret');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'API keys' }).waitFor();
      await tabTo(page, 'Create Key');
      await page.keyboard.press('Enter');
      await page.getByLabel('Key Name').waitFor();
      await page.keyboard.type('first-key');
      await page.keyboard.press('Enter');
      // A link in a mail signs in, but acts that matter want the password.
      await page.getByLabel('Your password').waitFor();
      await page.keyboard.type('a long pass phrase of mine');
      await page.keyboard.press('Enter');
      const secret = (await page.locator('[data-secret]').textContent()) ?? '';
      const { body } = await portal.server.inject({
        url: '/account/v1/whoami',
        headers: { 'x-api-key': secret },
      });
      expect(body).toContain('first-key');
      await tabTo(page, 'I have kept it');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'first-key', exact: true }).waitFor();
      expect(await page.content()).not.toContain(secret);
    });
  });

  it('begin to type in the first field of a dialog, however it was opened', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      const focused = () =>
        expect.poll(() => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""'));
      await open('/portal/api/keys');
      await page.getByText('ci-production').first().waitFor();
      await page.getByRole('button', { name: 'Create Key' }).click();
      await focused().toBe('Key Name');
      await open('/portal/api/keys?create=new');
      await focused().toBe('Key Name');
      await open('/portal/me/security?add=totp');
      await focused().toBe('Code');
    });
  });

  it('see an invitation that has expired, and send it again', async () => {
    const { account } = seeded;
    await seedTopics(portal.t, seeded);
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/members');
      const row = page.getByRole('listitem').filter({ hasText: 'joan@example.com' });
      await row.getByText('expired').waitFor();
      await row.getByRole('button', { name: 'Remove' }).waitFor();
      await row.getByRole('button', { name: 'Send again' }).click();
      await row.getByRole('button', { name: 'Withdraw' }).waitFor();
      expect(await row.getByText('expired').count()).toBe(0);
    });
    await portal.t.services.db
      .updateTable('approvals')
      .set({ decision: 'denied' })
      .where('account_id', '=', account.id)
      .execute();
    await portal.t.services.db.deleteFrom('key_denials').where('account_id', '=', account.id).execute();
    await portal.t.services.db
      .deleteFrom('ip_allowlist_entries')
      .where('account_id', '=', account.id)
      .execute();
  });

  it('limit the lifetime of new keys, and are then offered no longer one', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/keys');
      await page.getByRole('button', { name: 'Key policy' }).click();
      await page.getByLabel('Longest lifetime').selectOption('30');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The policy holds for all keys').waitFor();
      await page.getByRole('button', { name: 'Create Key' }).click();
      expect(await page.getByLabel('Expires In').locator('option').allTextContents()).toEqual([
        '1 hour',
        '1 day',
        '7 days',
        '30 days',
      ]);
    });
    await portal.t.services.db
      .updateTable('accounts')
      .set({ key_max_lifetime_days: null })
      .where('id', '=', seeded.account.id)
      .execute();
  });

  it('are asked for the password again before a key is made, and lose nothing that they typed', async () => {
    const { db } = portal.t.services;
    const person = await db
      .selectFrom('people')
      .select('id')
      .where('email', '=', seeded.email)
      .executeTakeFirstOrThrow();
    const token = await createSession(db, person, { reauthenticated: false });
    await portal.withTab({ token }, async ({ page, open }) => {
      await open('/portal/api/keys?create=preset%20read-only');
      await page.getByLabel('Key Name').fill('asked-again');
      await page.getByRole('button', { name: 'Create Key' }).last().click();
      await page.getByLabel('Your password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('The key asked-again is ready').waitFor();
    });
  });

  it('keep what they typed while the server fails, and send it when it is back', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/keys?create=new');
      await page.getByLabel('Key Name').fill('patient');
      await page.route('**/keys', (route) =>
        route.request().method() === 'POST' ? route.fulfill({ status: 503, body: '' }) : route.fallback(),
      );
      const create = page.getByRole('button', { name: 'Create Key' }).last();
      await create.click();
      await page.getByText('What you typed is still here.').waitFor();
      expect(await page.getByLabel('Key Name').inputValue()).toBe('patient');
      await page.unroute('**/keys');
      await create.click();
      await page.getByText('The key patient is ready').waitFor();
    });
  });

  it('see nothing of the portal with the back button after signing out, in no tab', async () => {
    const { db } = portal.t.services;
    const person = await db
      .selectFrom('people')
      .select('id')
      .where('email', '=', seeded.email)
      .executeTakeFirstOrThrow();
    await portal.withTab({ token: await createSession(db, person) }, async ({ page, context, open }) => {
      await open('/portal/me/security');
      await open('/portal/api/keys');
      const other = await context.newPage();
      await other.goto(`${portal.origin}/portal/members`);
      await other.getByText('Grace Hopper').waitFor();
      await page.getByRole('button', { name: /Account and theme/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await other.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.content()).not.toContain('ci-production');
    });
  });

  it('see whom Enforce would cut off, and type their number before it is on', async () => {
    await addDenial({ cause: 'ip_restriction', client_ip: '198.51.100.24' });
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/keys/denials');
      await page.getByRole('link', { name: 'Add this address' }).waitFor();
      await open('/portal/api/keys/allowlist?add=203.0.113.0/24');
      await page.getByLabel('Note').fill(HOSTILE);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText(HOSTILE).waitFor();
      await page.getByRole('radio', { name: /Enforce/ }).click();
      await page.getByText('198.51.100.24').waitFor();
      const enforce = page.getByRole('dialog').getByRole('button', { name: 'Enforce' });
      expect(await enforce.getAttribute('aria-disabled')).toBe('true');
      await page.getByLabel('Type 1 to cut them off').fill('1');
      await enforce.click();
      await page.getByText('The allowlist is enforced.').waitFor();
    });
    await portal.t.services.db
      .updateTable('ip_allowlists')
      .set({ mode: 'off' })
      .where('account_id', '=', seeded.account.id)
      .execute();
  });

  it('add a passkey, and sign in with it alone', async () => {
    const { db } = portal.t.services;
    // A person of its own: whoever has a passkey has to use it from then on.
    const person = await createPerson(db, { name: 'Alan Turing' });
    await joinAccount(db, person, seeded.account.id, 'developer');
    await portal.withTab({ token: await createSession(db, person) }, async ({ page, context, open }) => {
      const session = await context.newCDPSession(page);
      await session.send('WebAuthn.enable');
      await session.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await open('/portal/me/security?add=passkey');
      await page.getByLabel('Name').fill('My laptop');
      await page.getByRole('button', { name: 'Go on' }).click();
      // Without codes, a lost laptop would lock the person out: they are the next thing that is shown.
      await page.getByRole('dialog').getByText('You can sign in with this passkey').waitFor();
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByText('10 codes left').waitFor();
      await page.getByText('My laptop').waitFor();
      await context.clearCookies();
      // The page offers passkeys in the autofill of its field, and this authenticator agrees at once.
      await page.goto(`${portal.origin}/portal/sign-in`);
      await page.getByRole('heading', { name: /Alan/ }).waitFor();
    });
  });

  it('cure a denial with a button: the successor of the key has its permissions and the missing one', async () => {
    await addDenial({ cause: 'permission', client_ip: '203.0.113.7' });
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/keys/denials');
      await page.getByRole('link', { name: 'Roll the key with this permission' }).click();
      await page.getByText('4 chosen').first().waitFor();
      await page.getByRole('button', { name: 'Roll', exact: true }).click();
      await page.getByText('The key ci-production is ready').waitFor();
      await open('/portal/api/keys/denials');
      await page.getByRole('link', { name: 'Its successor has the permission now' }).waitFor();
      expect(await page.getByRole('link', { name: /^Roll / }).count()).toBe(0);
      await open('/portal');
      await page.getByText('What needs you').waitFor();
      expect(await page.getByRole('link', { name: 'Cure them' }).count()).toBe(0);
      await open(`/portal/api/keys?roll=${seeded.keys['ci-production']!.id}&add=flexible-vps:vms:delete`);
      await page.getByRole('link', { name: 'Roll its successor' }).click();
      await page.getByRole('button', { name: 'Roll', exact: true }).waitFor();
    });
    const { id } = seeded.keys['ci-production']!;
    const { db } = portal.t.services;
    const keys = db.selectFrom('api_keys').select(['id', 'permissions']);
    const { permissions: old } = await keys.where('id', '=', id).executeTakeFirstOrThrow();
    const rolled = await keys
      .where('name', '=', 'ci-production')
      .where('account_id', '=', seeded.account.id)
      .where('id', '<>', id)
      .executeTakeFirstOrThrow();
    expect(rolled.permissions).toEqual([...old, 'flexible-vps:vms:delete']);
    // The other journeys go on with the old key.
    await db.deleteFrom('api_keys').where('id', '=', rolled.id).execute();
    await db.updateTable('api_keys').set({ replaced_by: null }).where('id', '=', id).execute();
  });

  it('download the part of the document that a key may call', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/spec');
      await page.getByLabel('Key', { exact: true }).selectOption('ci-production');
      for (const format of ['json', 'yaml']) {
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: `Download ${format.toUpperCase()}` }).click();
        const file = await download;
        expect(file.suggestedFilename()).toBe(`openapi.${format}`);
        const { key } = seeded.keys['ci-production']!;
        const url = `${portal.origin}/openapi.${format}?for=me`;
        const answer = await fetch(url, { headers: { 'x-api-key': key } });
        expect(answer.status).toBe(200);
        expect(await readFile(await file.path(), 'utf8')).toBe(await answer.text());
      }
    });
  });

  it('approve on a phone what a key asks for, without reloading, and the call succeeds', async () => {
    const { server } = portal;
    const call = (method: 'POST' | 'DELETE', url: string, key: string, payload?: object, headers = {}) =>
      server.inject({
        method,
        url,
        headers: { 'x-api-key': key, ...headers },
        ...(payload === undefined ? {} : { payload }),
      });
    const agent = seeded.keys['assistant']!.key;
    const made = await call('POST', '/flexible-vps/v1/placement-groups', agent, {
      name: 'group-1',
      policy: 'spread',
      location: 'fra1',
    });
    expect(made.statusCode).toBe(201);
    const { id } = made.json<{ id: string }>();
    const url = `/flexible-vps/v1/placement-groups/${id}`;
    await portal.withTab({ token: seeded.token, width: 390 }, async ({ page, open }) => {
      await open('/portal/approvals');
      await page.getByText('Nothing waits for you').waitFor();
      const asked = await call('DELETE', url, agent);
      expect(asked.json()).toMatchObject({ code: 'approval_required' });
      const { operation_id } = asked.json<{ operation_id: string }>();
      await page.getByRole('link', { name: /assistant asks for deletePlacementGroup/ }).click();
      await page.getByText('group-1').first().waitFor();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page
        .getByText(/Approved by/)
        .first()
        .waitFor();
      const again = await call('DELETE', url, agent, undefined, { 'approval-id': operation_id });
      expect(again.statusCode).toBe(204);
    });
  });

  it('read a Terraform module, and make a key that may do just what it needs', async () => {
    const { parts } = (await portal.server.inject('/iac/')).json<{
      parts: { path: string; permissions: string[] }[];
    }>();
    const needed = parts.find(({ path }) => path === 'terraform/modules/ssh_key')?.permissions ?? [];
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/iac');
      const module = page.getByRole('listitem').filter({ has: page.getByText('ssh_key', { exact: true }) });
      await module.getByRole('button', { name: /^View/ }).click();
      await module.getByText('module "ssh_key"').waitFor();
      await module.getByLabel('File').selectOption({ label: 'main.tf' });
      await module.getByText('resource "restful_resource" "this"').waitFor();
      await module.getByRole('link', { name: /^Create key with/ }).click();
      const chosen = page.locator('label[title]:has(input:checked)');
      await page.getByText(`${needed.length} chosen`).waitFor();
      const titles = await chosen.evaluateAll((labels) => labels.map((label) => label.getAttribute('title')));
      expect(titles.map((text) => text?.split(': ')[0]).sort()).toEqual(needed);
      await page.getByLabel('Key Name').fill('infrastructure');
      await page.getByRole('dialog').getByRole('button', { name: 'Create Key' }).click();
      await page.getByText(/hpk1_/).first().waitFor();
    });
  });
});
