/** What people do in the reference, in a real browser against the real server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';

describeInBrowser('people in the reference', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
  });

  afterAll(() => portal.close());

  it('are led by an address to a member that is folded in', async () => {
    await portal.withTab({}, async ({ page, open }) => {
      await open('/portal/api/reference/createVm#answer.202.initial_credentials.password');
      const target = page.locator('[id="answer.202.initial_credentials.password"]');
      await target.waitFor();
      const isOnScreen = async (): Promise<boolean> => {
        const box = await target.boundingBox();
        return box !== null && box.y >= 0 && box.y < 900;
      };
      await expect.poll(isOnScreen).toBe(true);
      await page.locator('#body\\.name a').click();
      expect(new URL(page.url()).hash).toBe('#body.name');
    });
  });

  it('go from operation to operation by the list beside it and by the ids in texts', async () => {
    await portal.withTab({}, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      const list = page.getByRole('navigation', { name: 'Flexible VPS operations' });
      await list.getByRole('link', { name: 'Resize a machine' }).click();
      await page.getByRole('heading', { level: 1, name: 'Resize a machine' }).waitFor();
      expect(await list.locator('[aria-current]').textContent()).toBe('Resize a machine');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Create a machine' }).waitFor();
      await page.locator('.ref-text').getByRole('link', { name: 'listVpsPlans' }).first().click();
      await page.waitForURL('**/api/reference/listVpsPlans');
    });
  });

  it('open the list on a phone, where it is folded', async () => {
    await portal.withTab({ width: 390 }, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      const link = page.getByRole('link', { name: 'Resize a machine', exact: true });
      expect(await link.isVisible()).toBe(false);
      await page.getByText('Flexible VPS operations').click();
      await link.click();
      await page.getByRole('heading', { level: 1, name: 'Resize a machine' }).waitFor();
    });
  });

  it('see their own key named in every sample, once they are signed in', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      const says = await page.getByText(/^Your key \S+ may call this$/).textContent();
      const [, name] = says?.match(/^Your key (\S+)/) ?? [];
      expect(['assistant', 'ci-production', 'terraform-staging']).toContain(name);
      const samples = await page.locator('[data-language] code').allTextContents();
      const firstLines = samples.map((text) => text.split('\n')[0]);
      expect(firstLines).toEqual([
        `# HOSTPLANE_API_KEY is your key ${name}`,
        `# HOSTPLANE_API_KEY is your key ${name}`,
        `// HOSTPLANE_API_KEY is your key ${name}`,
        `# HOSTPLANE_API_KEY is your key ${name}`,
        `// HOSTPLANE_API_KEY is your key ${name}`,
        `# TF_VAR_hostplane_api_key is your key ${name}`,
      ]);
      await page.getByRole('radio', { name: 'Terraform' }).check({ force: true });
      await page.getByText('module "vm"').waitFor();
    });
    await portal.withTab({}, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      expect(await page.locator('[data-language] code').first().textContent()).toMatch(/^curl /);
    });
  });

  it('read beside the permission of the call whether a key has it', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      await page.locator('header .ref-facts + .ref-may').getByText('may call this').waitFor();
    });
  });

  it('copy samples and examples with the address at which they read them', async () => {
    await portal.withTab({}, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      const samples = await page.locator('[data-language] code').allTextContents();
      const addresses = samples.join('\n').match(/https?:\/\/[^\s/"']+/g) ?? [];
      expect([...new Set(addresses)]).toEqual([portal.origin]);
      expect(addresses.length).toBeGreaterThan(3);
      expect(await page.locator('article').textContent()).not.toContain('api.host.example');
    });
  });

  it('give one of their keys the permission that none of them has, by a roll', async () => {
    await portal.withTab({ token: seeded.token }, async ({ page, open }) => {
      await open('/portal/api/reference/setBudget');
      await page.getByText('None of your keys may call this').waitFor();
      await page.getByRole('button', { name: 'Add the permission to a key' }).click();
      // A suspended key is not rolled.
      expect((await page.getByRole('menuitem').allTextContents()).toSorted()).toEqual([
        'assistant',
        'ci-production',
        'grafana',
        'terraform-staging',
      ]);
      await page.getByRole('menuitem', { name: 'grafana' }).click();
      const roll = page.getByRole('dialog', { name: 'Roll grafana' });
      await roll.getByText('The one permission that the old key has.').waitFor();
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        roll: seeded.keys['grafana']!.id,
        add: 'account:budgets:write',
      });
    });
  });

  it('are led from the address of a problem to its page', async () => {
    await portal.withTab({}, async ({ page, open }) => {
      await open('/docs/errors/name_taken');
      expect(new URL(page.url()).pathname).toBe('/portal/api/reference/errors/name_taken');
      await page.getByRole('link', { name: 'Create a machine' }).click();
      await page.getByRole('heading', { level: 1, name: 'Create a machine' }).waitFor();
    });
  });
});
