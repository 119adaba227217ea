/** What people do in the explorer of the portal, in a real browser against the real server. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { pickerOf } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { createPerson, createSession, joinAccount, PASSWORD } from '../../../testing/people.ts';

describeInBrowser('people in the explorer', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
  });

  afterAll(() => portal.close());

  it('delete something after a dry run, once they have typed its name', async () => {
    const made = await portal.server.inject({
      method: 'POST',
      url: '/flexible-vps/v1/placement-groups',
      headers: { 'x-api-key': seeded.keys['assistant']!.key },
      payload: { name: 'explored', policy: 'spread', location: 'fra1' },
    });
    const { id } = made.json<{ id: string }>();
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      // A link says what is read, but never what is deleted.
      await open(`/portal/api/explorer/getPlacementGroup?id=${id}`);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(/^200/).waitFor();
      await open(`/portal/api/explorer/deletePlacementGroup?id=${id}`);
      expect(await pickerOf(page, 'ID').inputValue()).toBe('');
      await pickerOf(page, 'ID').selectOption(id);
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('dry run: nothing was changed').waitFor();
      await page.getByText('deletes the placement group "explored"', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send for real' }).click();
      await page.getByLabel('Type explored to confirm').fill('explored');
      await page.getByRole('dialog').getByRole('button', { name: 'Send for real' }).click();
      await page.getByText(/^204/).waitFor();
    });
  });

  it('see what a change would loosen, marked by a word', async () => {
    const made = await portal.server.inject({
      method: 'POST',
      url: '/flexible-vps/v1/firewalls',
      headers: { 'x-api-key': seeded.keys['assistant']!.key },
      payload: { name: 'explored' },
    });
    const { id } = made.json<{ id: string }>();
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/explorer/updateVpsFirewall');
      await pickerOf(page, 'ID').selectOption(id);
      await page.getByRole('button', { name: 'Write JSON' }).click();
      await page.getByLabel('JSON').fill('{ "default_in": "allow", "description": "Open" }');
      await page.getByRole('button', { name: 'Dry run' }).click();
      const changes = page.getByRole('region', { name: 'What the call would change' }).getByRole('listitem');
      await changes.first().waitFor();
      expect(await changes.allInnerTexts()).toEqual([
        expect.stringMatching(/^Loosens\s+the firewall "explored" lets in all arriving connections/),
        'sets the description of the firewall "explored"',
      ]);
      // What loosens is asked about, although the call is not destructive.
      await page.getByRole('button', { name: 'Send for real' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/lets in all arriving connections/).waitFor();
      const send = dialog.getByRole('button', { name: 'Send for real' });
      expect(await send.getAttribute('aria-disabled')).toBe('true');
      await dialog.getByLabel('Type explored to confirm').fill('explored');
      await send.click();
      await expect.poll(() => page.getByText('dry run: nothing was changed').count()).toBe(0);
    });
  });

  it('call an endpoint as themselves: the answer and the same call as curl', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/explorer/createVpsSshKey');
      await page.getByLabel('Name').fill('explorer-key');
      await page
        .getByLabel('Public key')
        .fill('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7Nxq3tYlqf0kIhY0Tq0aN2l3q1o0mJxE1Yc0aXb2cd ada');
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('dry run: nothing was changed').waitFor();
      await page.getByText('"explorer-key"').first().waitFor();
      await page.getByRole('button', { name: 'Send for real' }).click();
      await page.getByText(/^201/).waitFor();
    });
  });

  it('send headers, see the price beside the button, and follow the operation', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/explorer/createVpsVolume');
      await page.getByRole('button', { name: 'Write JSON' }).click();
      await page.getByLabel('JSON').fill('{ "name": "explored", "size_gb": 10, "location": "fra1" }');
      const headers = page.getByRole('region', { name: 'Headers' });
      await headers.getByText(/optional$/).click();
      // A header for keys only says nothing about a call of a person.
      expect(await headers.getByLabel('Approval-Id').count()).toBe(0);
      await headers.getByLabel('Idempotency-Key').fill('explored-once');
      await page.getByText(`-H 'Idempotency-Key: explored-once'`).waitFor();
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText(/a month · .* an hour/).waitFor();
      const sent = page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/volumes'));
      await page.getByRole('button', { name: 'Send for real' }).click();
      expect((await sent).headers()['idempotency-key']).toBe('explored-once');
      await page.getByText(/^202/).waitFor();
      const link = page.getByRole('link', { name: 'Follow the operation' });
      const first = await link.getAttribute('href');
      expect(first).toMatch(/^\/portal\/operations\/op_/);
      await link.click();
      await page.waitForURL(`**${first}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    });
  });

  it('sign in again in place if the session ends, and the call is sent', async () => {
    const { db } = portal.t.services;
    const person = await createPerson(db);
    await joinAccount(db, person, seeded.account.id, 'developer');
    await portal.withTab({ token: await createSession(db, person) }, async ({ page, open }) => {
      await open('/portal/api/explorer/listVpsPlans');
      await page.getByRole('button', { name: 'Send' }).waitFor();
      await db
        .updateTable('sessions')
        .set({ last_seen_at: sql`now() - interval '13 hours'` })
        .where('person_id', '=', person.id)
        .execute();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Your session ended after 12 hours without use.').waitFor();
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('200 OK').waitFor();
    });
  });
});
