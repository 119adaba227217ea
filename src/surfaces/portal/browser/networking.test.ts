/** The pages of firewalls, private networks and VPN peers that are made by hand, in a real browser. */
import { spawnSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { qrPath } from '../../../../portal/src/pages/me/qr-path.ts';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { buttonOf, inspect, openWide, settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { settle } from '../../../testing/operations.ts';

/** Reads pictures of QR codes, and knows nothing of the program that draws them. */
const hasReader = spawnSync('zbarimg', ['--version']).error === undefined;

function textIn(picture: Buffer): string {
  const { stdout, stderr } = spawnSync('zbarimg', ['--quiet', '--raw', 'png:-'], { input: picture });
  expect(stdout.length, stderr.toString()).toBeGreaterThan(0);
  return stdout.toString();
}

interface Rule {
  readonly protocol: string;
  readonly ports: readonly string[];
  readonly remote_cidrs: readonly string[];
}

describeInBrowser('networks and firewalls in the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let key: TestKey;
  let vm: string;
  let network: string;
  let peer: string;

  async function call<Answer>(method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) {
    const url = `/flexible-vps/v1/${path}`;
    const answer = await portal.t.call({ method, url, key: key.key, ...(payload ? { payload } : {}) });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    await settle(portal.t);
    return answer.json<Answer>();
  }
  const made = async (path: string, payload: object): Promise<string> =>
    (await call<{ id: string }>('POST', path, payload)).id;
  const rulesOf = async (id: string): Promise<readonly Rule[]> =>
    (await call<{ rules: readonly Rule[] }>('GET', `firewalls/${id}`)).rules;

  let serial = 0;
  const office = { direction: 'in', action: 'allow', protocol: 'tcp', ports: ['22'] };
  const newFirewall = async (): Promise<string> => {
    const rules = [{ ...office, remote_cidrs: ['203.0.113.0/24'], description: 'SSH from the office' }];
    const id = await made('firewalls', { name: `web-${++serial}`, rules });
    await made(`firewalls/${id}/attachments`, { target: { type: 'vm', id: vm } });
    return id;
  };

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    key = await createKey(portal.t.services.db, seeded.account, { name: 'works' });
    const source = { type: 'image', image_id: 'debian-12' };
    vm = await made('vms', { name: 'app', location: 'fra1', plan: 'flex-1-2', source });
    await made('vms', { name: 'db', location: 'fra1', plan: 'flex-1-2', source });
    network = await made('networks', { name: 'inside', location: 'fra1', ipv4_cidr: '10.10.0.0/24' });
    await made(`vms/${vm}/interfaces`, { network_id: network });
    const gateway = await made('vpn-gateways', {
      name: 'entry',
      location: 'fra1',
      network_ids: [network],
    });
    peer = `vpn-gateways/${gateway}/peers/${await made(`vpn-gateways/${gateway}/peers`, { name: 'laptop' })}`;
  });
  afterAll(() => portal.close());

  const onPage = (path: string, act: (page: Page, tab: Tab) => Promise<void>): Promise<void> =>
    portal.withTab({ token: seeded.token }, async (tab) => {
      await openWide(tab, `/portal/p/flexible-vps/${path}`);
      await act(tab.page, tab);
    });
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

  it('edits the rules of a firewall in a table, and applies all after a look at who is cut off', async () => {
    const id = await newFirewall();
    await onPage(`firewalls/${id}?tab=rules`, async (page, tab) => {
      await field(page, 'Sources of rule 1').fill('198.51.100.0/24');
      await buttonOf(page, 'Add a common rule').click();
      await page.getByRole('menuitem', { name: /^HTTPS/ }).click();
      await page.getByText('Not applied yet: 2 new, 1 changed.').waitFor();
      await field(page, 'Ports of rule 2').fill('443, from 1 to 2');
      await buttonOf(page, 'Apply').click();
      await page.getByText('Not valid yet: see what is marked above.').waitFor();
      expect(await page.locator('[aria-invalid=true]').count()).toBe(1);
      await inspect(tab);
      await field(page, 'Ports of rule 2').fill('443');
      expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
      expect(await rulesOf(id)).toHaveLength(1);
      await buttonOf(page, 'Apply').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('closes tcp 22 to 203.0.113.0/24 for 1 machine').waitFor();
      await dialog.getByText('opens tcp 22 to 198.51.100.0/24').waitFor();
      await dialog.getByRole('link', { name: 'app' }).waitFor();
      await inspect(tab);
      expect(await rulesOf(id)).toHaveLength(1);
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.getByText('Not applied yet').count()).toBe(0);
      const rules = (await rulesOf(id)).map(({ protocol, ports, remote_cidrs }) =>
        [protocol, ...ports, ...remote_cidrs].join(' '),
      );
      expect(rules.toSorted()).toEqual(['tcp 22 198.51.100.0/24', 'tcp 443', 'udp 443']);
    });
  });

  it('keeps the edits of rules when somebody else was faster, and says what to do', async () => {
    const id = await newFirewall();
    await onPage(`firewalls/${id}?tab=rules`, async (page) => {
      await field(page, 'Ports of rule 1').fill('22, 2222');
      await buttonOf(page, 'Apply').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('opens tcp 2222').waitFor();
      await call('PATCH', `firewalls/${id}`, { rules: [{ ...office, ports: ['80'] }] });
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Somebody changed this firewall while you edited it').waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(await field(page, 'Ports of rule 1').inputValue()).toBe('22, 2222');
      expect((await rulesOf(id)).map(({ ports }) => ports)).toEqual([['80']]);
      await page.locator('summary', { hasText: 'The firewall as it is now' }).click();
      await page.getByText('Allows TCP 80 from everybody').waitFor();
      await buttonOf(page, 'Keep my edits').click();
      await buttonOf(page, 'Apply').click();
      await dialog.getByText('closes tcp 80 to everybody').waitFor();
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect((await rulesOf(id)).map(({ ports }) => ports)).toEqual([['22', '2222']]);
    });
  });

  it('asks before edits of rules are lost', async () => {
    const id = await newFirewall();
    await onPage(`firewalls/${id}?tab=rules`, async (page) => {
      await buttonOf(page, 'Acts on rule 1').click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      await page.getByRole('link', { name: 'Overview' }).click();
      const question = page.getByRole('dialog', { name: 'Leave without applying the rules?' });
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await field(page, 'Description of rule 2').inputValue()).toBe('SSH from the office');
      await field(page, 'Description of rule 2').fill('SSH from home');
      await buttonOf(page, 'Acts on rule 1').click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await page.getByText('Not applied yet: 1 new, 1 removed.').waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await question.getByRole('button', { name: 'Leave' }).click();
      await page
        .getByRole('link', { name: 'Overview', exact: true })
        .and(page.locator('[aria-current]'))
        .waitFor();
      expect(await rulesOf(id)).toHaveLength(1);
    });
  });

  it('shows who is in a private network, attaches a machine and detaches it', async () => {
    await onPage(`networks/${network}?tab=members`, async (page, tab) => {
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await row('app').getByText('10.10.0.2', { exact: true }).waitFor();
      await row('entry').getByText('VPN gateway').waitFor();
      await page.getByText('250 addresses are free').waitFor();
      await inspect(tab);
      await page.setViewportSize({ width: 1440, height: 900 });
      await buttonOf(page, 'Attach machine').click();
      const machines = page.getByRole('dialog').locator('select');
      await expect.poll(() => machines.locator('option').allTextContents()).toHaveLength(3);
      await machines.selectOption({
        label: (await machines.locator('option', { hasText: /^db/ }).textContent()) ?? '',
      });
      await buttonOf(page, 'Continue').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Attach' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await settle(portal.t);
      await row('db').getByText('10.10.0.4', { exact: true }).waitFor();
      await row('db').getByRole('button').click();
      await page.getByRole('menuitem', { name: 'Detach' }).click();
      const dialog = page.getByRole('dialog', { name: 'Detach db from inside?' });
      await dialog.getByRole('button', { name: 'Detach' }).click();
      await dialog.waitFor({ state: 'detached' });
      await settle(portal.t);
      await row('db').waitFor({ state: 'detached' });
    });
  });

  it('shows the configuration of a VPN peer as text, QR code and file, when somebody asks', async () => {
    await onPage(peer, async (page, tab) => {
      await page.getByText('No handshake yet').waitFor();
      await page.getByRole('link', { name: 'Configuration' }).click();
      await settled(page);
      expect(await page.getByText('PrivateKey').count()).toBe(0);
      await buttonOf(page, 'Show the configuration').click();
      const code = page.locator('figure', { hasText: 'laptop.conf' }).locator('code');
      await code.getByText('PrivateKey').waitFor();
      await inspect(tab);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        buttonOf(page, 'Download').click(),
      ]);
      expect(download.suggestedFilename()).toBe('laptop.conf');
      const chunks: Buffer[] = [];
      for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
      const file = Buffer.concat(chunks).toString();
      expect(file).toMatch(/^# laptop\.conf\n\[Interface\]\nPrivateKey = \S{44}\n/);
      expect(await code.textContent()).toBe(file);
      const picture = page.getByRole('img', { name: 'QR code with the configuration' });
      expect(await picture.locator('path').getAttribute('d')).toBe(qrPath(file).path);
      await page.setViewportSize({ width: 1440, height: 900 });
      // The program ends what it prints with a line break.
      if (hasReader) expect(textIn(await picture.screenshot())).toBe(`${file}\n`);
      await page.getByLabel('Send all traffic through the tunnel').check();
      await code.getByText('AllowedIPs = 0.0.0.0/0, ::/0').waitFor();
    });
  });

  it('says what is part of something by its name, and leads from no page to itself', async () => {
    const volume = await made('volumes', { name: 'archive', location: 'fra1', size_gb: 10 });
    await onPage(`volumes/${volume}`, async (page, { open }) => {
      const content = page.getByRole('main');
      const linksTo = (name: string) => content.getByRole('link', { name, exact: true }).count();
      await content.getByText('Serial', { exact: true }).waitFor();
      // The id and the serial number, which is the same.
      expect(await content.getByText(volume, { exact: true }).count()).toBe(2);
      expect(await linksTo('archive')).toBe(0);
      await open(`/portal/p/flexible-vps/networks/${network}`);
      await content.getByText('In use', { exact: true }).waitFor();
      await content.getByRole('link', { name: 'app', exact: true }).first().waitFor();
      expect(await linksTo('inside')).toBe(0);
      await content.getByText(/^Not set: .*\bDNS\b/i).waitFor();
      expect(await content.getByText('servers=').count()).toBe(0);
      await open('/portal/operations');
      await content.getByText('Attach interface of app').waitFor();
      expect(await content.getByText(/\bnic_/).count()).toBe(0);
    });
  });
});
