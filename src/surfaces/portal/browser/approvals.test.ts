/** What people see of a call that they approve, in a real browser against the real server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';

describeInBrowser('people who approve', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
  });
  afterAll(() => portal.close());

  /** A key asks to open a firewall. Returns the id of the request. */
  async function askToOpen(name: string): Promise<string> {
    const { call, services } = portal.t;
    const { key: maker } = seeded.keys['assistant']!;
    const { key } = await createKey(services.db, seeded.account, { approval: 'writes' });
    const made = await call({
      method: 'POST',
      url: '/flexible-vps/v1/firewalls',
      payload: { name },
      key: maker,
    });
    const url = `/flexible-vps/v1/firewalls/${made.json<{ id: string }>().id}`;
    const rules = [22, 3306, 5432].map((port, i) => ({
      direction: 'in',
      action: 'allow',
      protocol: 'tcp',
      ports: [String(port)],
      remote_cidrs: [`2001:db8:${i}:ffff:ffff:ffff:ffff:0/112`, `198.51.${i}.0/24`],
    }));
    const asked = await call({ method: 'PATCH', url, payload: { rules, description: 'Open' }, key });
    expect(asked.json(), asked.body).toMatchObject({ code: 'approval_required' });
    return asked.json<{ operation_id: string }>().operation_id;
  }

  it.each([320, 1440])(
    'read at a width of %i what would change, with a word at what loosens',
    async (width) => {
      const name = `the-firewall-of-all-machines-with-a-very-long-name-${width}`;
      const id = await askToOpen(name);
      const tab = await portal.tab({ token: seeded.token, width });
      const { page } = tab;
      await tab.open('/portal/approvals');
      await page
        .getByRole('link', { name: /asks for updateVpsFirewall.*loosens/i })
        .first()
        .waitFor();
      await tab.open(`/portal/approvals/${id}`);
      const changes = page.getByRole('region', { name: 'Changes' }).getByRole('listitem');
      await changes.first().waitFor();
      const texts = await changes.allInnerTexts();
      expect(texts).toHaveLength(4);
      for (const text of texts.slice(0, 3))
        expect(text).toMatch(new RegExp(`^Loosens\\s+the firewall "${name}" opens tcp (22|3306|5432) to `));
      expect(texts[3]).toBe(`sets the description of the firewall "${name}"`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(tab.complaints).toEqual([]);
      await tab.close();
    },
  );
});
