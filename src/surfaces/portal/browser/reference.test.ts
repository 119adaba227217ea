/** What people do in the reference, in a real browser against the real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';

const title = 'people in the reference';

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
  });

  afterAll(() => portal.close());

  const withTab = async (options: Parameters<BrowserPortal['tab']>[0], act: (tab: Tab) => Promise<void>) => {
    const tab = await portal.tab(options);
    try {
      await act(tab);
      expect(tab.complaints).toEqual([]);
    } finally {
      await tab.close();
    }
  };

  it('are led by an address to a member that is folded in', async () => {
    await withTab({}, async ({ page, open }) => {
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
    await withTab({}, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      const list = page.getByRole('navigation', { name: 'Flexible VPS operations' });
      await list.getByRole('link', { name: 'Resize a VM' }).click();
      await page.getByRole('heading', { level: 1, name: 'Resize a VM' }).waitFor();
      expect(await list.locator('[aria-current]').textContent()).toBe('Resize a VM');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Create a VM' }).waitFor();
      await page.locator('.ref-text').getByRole('link', { name: 'listVpsPlans' }).first().click();
      await page.waitForURL('**/api/reference/listVpsPlans');
    });
  });

  it('open the list on a phone, where it is folded', async () => {
    await withTab({ width: 390 }, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      const link = page.getByRole('link', { name: 'Resize a VM', exact: true });
      expect(await link.isVisible()).toBe(false);
      await page.getByText('Flexible VPS operations').click();
      await link.click();
      await page.getByRole('heading', { level: 1, name: 'Resize a VM' }).waitFor();
    });
  });

  it('see their own key named in every sample, once they are signed in', async () => {
    await withTab({ token: seeded.token }, async ({ page, open }) => {
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
    await withTab({}, async ({ page, open }) => {
      await open('/portal/api/reference/createVm');
      expect(await page.locator('[data-language] code').first().textContent()).toMatch(/^curl /);
    });
  });

  it('give one of their keys the permission that none of them has, by a roll', async () => {
    await withTab({ token: seeded.token }, async ({ page, open }) => {
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
      await page.getByRole('dialog', { name: 'Roll grafana' }).waitFor();
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        roll: seeded.keys['grafana']!.id,
        add: 'account:budgets:write',
      });
    });
  });

  it('are led from the address of a problem to its page', async () => {
    await withTab({}, async ({ page, open }) => {
      await open('/docs/errors/name_taken');
      expect(new URL(page.url()).pathname).toBe('/portal/api/reference/errors/name_taken');
      await page.getByRole('link', { name: 'Create a VM' }).click();
      await page.getByRole('heading', { level: 1, name: 'Create a VM' }).waitFor();
    });
  });
});
