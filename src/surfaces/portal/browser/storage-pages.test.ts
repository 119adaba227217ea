/** The pages of backups, images and ISOs that are made by hand, in a real browser. */
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { buttonOf, inspect, openWide, pressWhenReady, settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { isoUrlFor } from '../../../testing/iso-server.ts';
import { settle } from '../../../testing/operations.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

describeInBrowser('backups, images and ISOs in the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let key: TestKey;
  let address: string;

  async function call<Answer = Row>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    settles = true,
  ): Promise<Answer> {
    const url = `/flexible-vps/v1/${path}`;
    const answer = await portal.t.call({ method, url, key: key.key, ...(payload ? { payload } : {}) });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    if (settles) await settle(portal.t);
    return (answer.body === '' ? {} : answer.json()) as Answer;
  }
  const listed = async (path: string): Promise<readonly Row[]> =>
    (await call<{ data: readonly Row[] }>('GET', path)).data;

  let serial = 0;
  const newVm = (more: object = {}): Promise<Row> =>
    call('POST', 'vms', {
      name: `app-${++serial}`,
      location: 'fra1',
      plan: 'flex-1-2',
      source: { type: 'image', image_id: 'debian-12' },
      ...more,
    });
  const backUp = ({ id }: Row, more: object = {}): Promise<Row> =>
    call('POST', 'backups', { vm_id: id, ...more });

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    key = await createKey(portal.t.services.db, seeded.account, { name: 'works' });
    address = await isoUrlFor(portal.t);
  });
  afterAll(() => portal.close());

  const onPage = (path: string, act: (page: Page, tab: Tab) => Promise<void>): Promise<void> =>
    portal.withTab({ token: seeded.token }, async (tab) => {
      await openWide(tab, `/portal/p/flexible-vps/${path}`);
      await act(tab.page, tab);
    });
  const wide = (page: Page): Promise<void> => page.setViewportSize({ width: 1440, height: 900 });
  const short = (page: Page) => page.getByRole('region', { name: 'In short' });
  const gone = (page: Page): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' });
  /** The one button of the dialog that does it, once nothing is in its way. */
  async function press(page: Page, name: string): Promise<void> {
    await pressWhenReady(page.getByRole('dialog').getByRole('button', { name, exact: true }));
    await gone(page);
    await settle(portal.t);
  }

  it('says that a machine has no backups, makes one, and gives the machine a policy', async () => {
    const policy = { schedule: { frequency: 'daily', hour: 2 }, retention: { keep_last: 7, keep_days: 30 } };
    await call('POST', 'backup-policies', { name: 'nightly', ...policy });
    const vm = await newVm();
    await onPage(`vms/${vm.id}`, async (page, tab) => {
      await short(page).getByText('No backup policy').waitFor();
      await short(page).getByRole('link', { name: 'add one' }).click();
      await page.getByText('This machine cannot be brought back').waitFor();
      await inspect(tab);
      await wide(page);
      await buttonOf(page, 'Back up now').click();
      await press(page, 'Back up');
      await short(page).getByText('files complete').waitFor();
      await page.getByRole('table', { name: 'Backups' }).getByText('By hand').waitFor();
      await buttonOf(page, 'Add a backup policy').click();
      const choice = page.getByRole('dialog').locator('select');
      await expect.poll(() => choice.locator('option').count()).toBe(2);
      await choice.selectOption({ index: 1 });
      await press(page, 'Add a backup policy to');
      await short(page).getByText('Every day at 02:00 UTC').waitFor();
      await short(page).getByText('Keeps the newest 7, each for 30 days at most').waitFor();
      await inspect(tab);
      await wide(page);
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await short(page).getByText('By nightly, next').waitFor();
    });
  });

  it('restores a backup after a look at what is overwritten and the name of the machine', async () => {
    const vm = await newVm();
    const backup = await backUp(vm, { name: 'before-upgrade' });
    await onPage(`backups/${backup.id}`, async (page, tab) => {
      await inspect(tab);
      await wide(page);
      await buttonOf(page, 'Restore').click();
      const dialog = page.getByRole('dialog', { name: `Restore ${vm.name}` });
      await dialog.getByText('The whole disk: files, users').waitFor();
      expect(await page.locator(':focus').textContent()).toContain('Overwritten');
      await dialog.getByText('For now you lose: All data on the disk').waitFor();
      expect(await dialog.getByText('Newer snapshots may be deleted').count()).toBe(0);
      expect(await dialog.getByLabel('Back up the present disk first').isChecked()).toBe(true);
      const does = dialog.getByRole('button', { name: 'Restore', exact: true });
      expect(await does.getAttribute('aria-disabled')).toBe('true');
      await dialog.getByLabel(`Type ${vm.name} to confirm`).fill(vm.name);
      await press(page, 'Restore');
      await page.getByRole('heading', { level: 1, name: vm.name }).waitFor();
    });
    expect(await call('GET', `vms/${vm.id}`)).toMatchObject({ status: 'running', status_reason: null });
    const kinds = (await listed(`backups?vm_id=${vm.id}`)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['manual', 'safety']);
  });

  /** Somebody types a wrong name, leaves by accident, stays, and types the right one. */
  async function confirm(page: Page, name: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    const does = dialog.getByRole('button', { name: 'Restore', exact: true });
    const field = dialog.getByLabel(`Type ${name} to confirm`);
    for (const wrong of ['', name.slice(0, -1), name.toUpperCase()]) {
      await field.fill(wrong);
      expect(await does.getAttribute('aria-disabled')).toBe('true');
      expect(await does.getAttribute('aria-describedby')).not.toBe(null);
      await field.press('Enter');
    }
    await dialog.getByText(`Type ${name} first.`).first().waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard what you typed?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    expect(await field.inputValue()).toBe(name.toUpperCase());
    expect(await does.getAttribute('aria-disabled')).toBe('true');
    await field.fill(name);
    await press(page, 'Restore');
  }

  const restoresOf = async ({ id }: Row): Promise<number> => {
    const url = `/account/v1/operations?resource_id=${id}&type=vm.restore`;
    return (await portal.t.call({ url, key: key.key })).json<{ data: object[] }>().data.length;
  };

  it('restores a backup only with the whole name of the machine, and keeps what was typed', async () => {
    const vm = await newVm();
    const backup = await backUp(vm, { name: 'confirmed' });
    await onPage(`backups/${backup.id}`, async (page) => {
      await buttonOf(page, 'Restore').click();
      await page.getByRole('dialog').getByText('For now you lose').waitFor();
      await page.getByRole('dialog').getByLabel('Back up the present disk first').uncheck();
      await confirm(page, vm.name);
      await page.getByRole('heading', { level: 1, name: vm.name }).waitFor();
    });
    expect(await restoresOf(vm)).toBe(1);
    expect((await listed(`backups?vm_id=${vm.id}`)).length).toBe(1);
  });

  it('restores a snapshot only with the whole name of the machine, and keeps what was chosen', async () => {
    const vm = await newVm();
    const snapshot = await call('POST', `vms/${vm.id}/snapshots`, { name: 'before' });
    await onPage(`vms/${vm.id}`, async (page) => {
      await buttonOf(page, `Acts on Machine ${vm.name}`).click();
      await page.getByRole('menuitem', { name: /^Restore/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /^Snapshot/i }).check();
      const picker = dialog.getByLabel(/^Snapshot/).and(page.locator('select'));
      await expect.poll(() => picker.locator('option').count()).toBeGreaterThan(1);
      await picker.selectOption(snapshot.id);
      await dialog.getByRole('region', { name: 'What this does' }).waitFor();
      await confirm(page, vm.name);
    });
    expect(await restoresOf(vm)).toBe(1);
  });

  it('restores a backup of a deleted machine to another one, and warns of what is lost for good', async () => {
    const lost = await newVm();
    const backup = await backUp(lost);
    await call('DELETE', `vms/${lost.id}`);
    const target = await newVm();
    await onPage(`backups/${backup.id}`, async (page) => {
      await short(page).getByText('which is deleted').waitFor();
      await buttonOf(page, 'Restore').click();
      const machine = page.getByRole('dialog').getByLabel('Machine');
      await expect.poll(() => machine.locator('option').count()).toBeGreaterThan(1);
      await machine.selectOption(target.id);
      await buttonOf(page, 'Continue').click();
      const dialog = page.getByRole('dialog', { name: `Restore ${target.name}` });
      await dialog.getByText(`becomes a copy of that of ${lost.name}`).waitFor();
      await dialog.getByLabel('Back up the present disk first').uncheck();
      await dialog.getByText('Lost for good: All data on the disk').waitFor();
      await dialog.getByLabel(`Type ${target.name} to confirm`).fill(target.name);
      await press(page, 'Restore');
    });
    expect(await listed(`backups?vm_id=${target.id}`)).toEqual([]);
  });

  it('makes a new machine from a backup, with a plan that its disk fits on', async () => {
    const vm = await newVm();
    const backup = await backUp(vm);
    const name = `again-${++serial}`;
    await onPage(`vms/${vm.id}?tab=backups`, async (page) => {
      await buttonOf(page, 'New machine from it').click();
      const form = page.locator('form');
      await expect.poll(() => form.locator('select').first().inputValue()).toBe(backup.id);
      await form.getByText('a month').first().waitFor();
      await form.getByLabel('Name of the machine').fill(name);
      await expect.poll(() => buttonOf(page, 'Create machine').getAttribute('aria-disabled')).toBe(null);
      await buttonOf(page, 'Create machine').click();
      await buttonOf(page, 'I have kept it').click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    });
    const [made] = await listed(`vms?name=${name}`);
    expect(made).toMatchObject({ source: { type: 'backup', id: backup.id }, plan: 'flex-1-2' });
  });

  it('compares a backup with its machine as it is now, and with another backup', async () => {
    const vm = await newVm();
    const first = await backUp(vm, { name: 'first' });
    const second = await backUp(vm, { name: 'second' });
    await call('PATCH', `vms/${vm.id}`, { name: `renamed-${serial}` });
    await onPage(`vms/${vm.id}?tab=backups`, async (page, tab) => {
      await buttonOf(page, `Acts on Backup ${first.name}`).click();
      await page.getByRole('menuitem', { name: 'Compare' }).click();
      const differing = async (): Promise<string[]> => {
        const rows = page.getByRole('row').filter({ hasText: 'Differs' });
        const heads = await rows.locator('td:first-child').allTextContents();
        return heads.map((head) => head.replace('Differs', ''));
      };
      await page.getByText('1 of 6 differ.').waitFor();
      expect(await differing()).toEqual(['Machine']);
      await inspect(tab);
      await wide(page);
      await page.getByLabel('Compare with').selectOption(second.id);
      await page.getByRole('row').filter({ hasText: 'SHA-256' }).waitFor();
      expect(await differing()).not.toContain('Disk');
      expect(new URL(page.url()).searchParams.get('with')).toBe(second.id);
    });
  });

  it('makes a link that downloads the archive, lists it, and ends it', async () => {
    const backup = await backUp(await newVm(), { name: 'to-download' });
    await onPage(`backups/${backup.id}?tab=download`, async (page, tab) => {
      await page.getByText('There are none.').waitFor();
      await page.getByLabel('The link works for').selectOption({ label: '5 minutes' });
      await buttonOf(page, 'Make a download link').click();
      const link = page.getByRole('link', { name: /^Download to-download\.\w+/ });
      const { pathname, search } = new URL((await link.getAttribute('href')) ?? '');
      const file = await portal.t.call({ method: 'GET', url: `${pathname}${search}` });
      const sha256 = createHash('sha256').update(file.rawPayload).digest('hex');
      await page.locator('dl').getByText(sha256).waitFor();
      const name = /filename="?([^";]+)/.exec(String(file.headers['content-disposition']))?.[1];
      expect(await link.textContent()).toBe(`Download ${name}`);
      await page.locator('figure').getByText(`${sha256}  ${name}`).waitFor();
      const links = page.getByRole('table', { name: 'Links that work now' });
      await links.getByText('Ada Lovelace').waitFor();
      await inspect(tab);
      await wide(page);
      await links.getByRole('button', { name: 'End' }).click();
      await page.getByText('There are none.').waitFor();
      const after = await portal.t.call({ method: 'GET', url: `${pathname}${search}` });
      expect(after.statusCode).toBeGreaterThan(399);
    });
  });

  it('checks the address of an ISO while it is typed, names it, and shows how its import goes on', async () => {
    await onPage('isos/new', async (page, tab) => {
      const field = page.getByLabel('Address of the file');
      const checked = page.getByText('The address is in order');
      await field.fill('https://10.0.0.1/Tiny_Disc-2.iso');
      await page.getByText('The host 10.0.0.1 cannot be called').waitFor();
      expect(await checked.count()).toBe(0);
      await field.fill(address.replace('tiny.iso', 'Tiny_Disc-2.arm64.iso?signature=x'));
      await checked.waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('tiny-disc-2-arm64');
      expect(await page.getByRole('radio', { name: /^Arm64/ }).isChecked()).toBe(true);
      await inspect(tab);
      await wide(page);
      await page.getByLabel('Name', { exact: true }).fill('rescue-disc');
      await field.fill(address);
      await page.getByRole('radio', { name: /^Amd64/ }).check();
      await checked.waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('rescue-disc');
      await buttonOf(page, 'Create ISO').click();
      const work = page.getByRole('region', { name: 'The file is being fetched.' });
      await work.getByText('Import', { exact: true }).waitFor();
      await work.getByText('Usually takes about').waitFor();
      await inspect(tab);
      await settle(portal.t);
      await work.waitFor({ state: 'detached' });
      await buttonOf(page, 'Insert into a machine').waitFor();
    });
  });

  it('says which machines have an ISO in their drive, inserts it and ejects it', async () => {
    const iso = await call('POST', 'isos', { name: 'installer', url: address });
    const vm = await newVm();
    const drive = async () => (await call('GET', `vms/${vm.id}`))['iso'];
    await onPage(`isos/${iso.id}`, async (page, tab) => {
      await short(page).getByText('No machine').waitFor();
      await buttonOf(page, 'Insert into a machine').click();
      const machine = page.getByRole('dialog').getByLabel('Machine');
      await expect.poll(() => machine.locator('option').count()).toBeGreaterThan(1);
      await machine.selectOption(vm.id);
      await buttonOf(page, 'Continue').click();
      await page.getByRole('dialog').getByLabel('Boot once').check();
      await press(page, 'Insert');
      expect(await drive()).toEqual({ iso_id: iso.id, boot_once: true });
      await short(page).getByRole('link', { name: '1 machine' }).click();
      await page.getByRole('row').filter({ hasText: vm.name }).getByText('At the next start').waitFor();
      await inspect(tab);
      await wide(page);
      await buttonOf(page, 'Eject').click();
      await press(page, 'Eject');
      await page.getByText('It is in no drive').waitFor();
      expect(await drive()).toBeNull();
    });
  });

  it('says why an import failed and what helps, and begins the next try with what is known', async () => {
    const source = { type: 'url', url: address, architecture: 'amd64' };
    const image = await call('POST', 'images', { name: 'not-a-disk', source });
    await onPage(`images/${image.id}`, async (page, tab) => {
      await page.getByText('The file is neither qcow2').waitFor();
      await page.getByText('Convert it, for example with qemu-img').waitFor();
      expect(await buttonOf(page, 'New machine from it').getAttribute('aria-disabled')).toBe('true');
      await inspect(tab);
      await wide(page);
      const again = page.getByRole('link', { name: 'Try it again' });
      await expect.poll(() => again.getAttribute('href')).toContain('again=op_');
      await again.click();
      await page.getByText('keeps its name').waitFor();
      expect(await page.getByRole('radio', { name: /^URL/ }).isChecked()).toBe(true);
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('not-a-disk');
      await page.getByText('nothing is uploaded from this browser').waitFor();
      await inspect(tab);
    });
  });

  it('has room for the longest names on every width', async () => {
    const name = 'w'.repeat(63);
    const vm = await newVm({ name });
    const schedule = { frequency: 'weekly', weekday: 'sun', hour: 2 };
    const policy = { name, schedule, retention: { keep_last: 60, keep_days: 365 } };
    const { id: backup_policy_id } = await call('POST', 'backup-policies', policy);
    await call('PATCH', `vms/${vm.id}`, { backup_policy_id });
    const backup = await backUp(vm, { name, description: 'W'.repeat(255) });
    await call('POST', `backups/${backup.id}/download`, {});
    const url = address.replace('tiny.iso', `${'w'.repeat(200)}.iso`);
    const iso = await call('POST', 'isos', { name, url });
    const image = await call('POST', 'images', { name, source: { type: 'url', url, architecture: 'amd64' } });
    const tab = await portal.tab({ token: seeded.token });
    const { id } = backup;
    const backups = ['', '?tab=compare', '?tab=download'].map((part) => `backups/${id}${part}`);
    const paths = [`vms/${vm.id}`, `vms/${vm.id}?tab=backups`, ...backups, `isos/${iso.id}`];
    for (const path of [...paths, `images/${image.id}`]) {
      await openWide(tab, `/portal/p/flexible-vps/${path}`);
      await inspect(tab);
    }
    await openWide(tab, `/portal/p/flexible-vps/backups/${id}`);
    await buttonOf(tab.page, 'Restore').click();
    await tab.page.getByRole('dialog').getByText('For now you lose').waitFor();
    await inspect(tab);
    await tab.close();
  });

  it('says what an image was made from, and makes a machine from it', async () => {
    const vm = await newVm();
    const image = await call('POST', 'images', {
      name: 'golden',
      source: { type: 'vm', vm_id: vm.id },
    });
    await onPage(`images/${image.id}`, async (page, tab) => {
      await short(page).getByText('The disk of').waitFor();
      await short(page).getByRole('link', { name: vm.name }).waitFor();
      await short(page).getByText('amd64, with 40 GB disk').waitFor();
      await settled(page);
      await inspect(tab);
      await wide(page);
      await buttonOf(page, 'New machine from it').click();
      const chosen = page.locator('form select').first();
      await expect.poll(() => chosen.inputValue()).toBe(image.id);
      await page.locator('form').getByText('a month').first().waitFor();
      await expect.poll(() => buttonOf(page, 'Create machine').getAttribute('aria-disabled')).toBe(null);
    });
  });
});
