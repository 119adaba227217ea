/** Every dialog in a real browser: no barriers, in both themes and on a phone; the focus goes in and comes back. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, createMember } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect, openWide, pickerOf, pressWhenReady } from '../../../testing/browser/inspect.ts';
import { stretchNames } from '../../../testing/browser/long-names.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount, seedTopics } from '../../../testing/browser/seed.ts';
import { settle } from '../../../testing/operations.ts';
import { createPerson, createSession, joinAccount, PASSWORD } from '../../../testing/people.ts';
import { dialogPages } from './page-list.ts';

interface Products {
  readonly firewall: string;
  readonly network: string;
  readonly backup: string;
}

interface Scene {
  readonly portal: BrowserPortal;
  readonly seeded: Seeded;
  readonly approvalId: string;
  readonly webhookId: string;
  readonly operationId: string;
  readonly products: Products;
  readonly tab: Tab;
  /** Of a person who has an authenticator app, and who is asked for the password before acts that matter. */
  readonly careful: Tab;
}

/** Opens a dialog, and returns the tab if it is not the usual one. */
type Open = (scene: Scene) => Promise<Tab | undefined>;

const click =
  (path: string, ...names: readonly RegExp[]): Open =>
  async ({ tab }) => {
    await openWide(tab, path);
    for (const name of names)
      await pressWhenReady(
        tab.page
          .getByRole('button', { name })
          .or(tab.page.getByRole('menuitem', { name }))
          .or(tab.page.getByRole('radio', { name }))
          .first(),
      );
    return undefined;
  };

const ofKey = (name: string, act: RegExp): Open =>
  click('/portal/api/keys', new RegExp(`^Acts for ${name}`), act);
const ofBudget = (name: string, act: RegExp): Open =>
  click('/portal/budgets', new RegExp(`^Acts for ${name}`), act);
const ofWebhook =
  (act: RegExp): Open =>
  (scene) =>
    click(`/portal/webhooks/${scene.webhookId}`, act)(scene);
const ofMember = (name: string, act: RegExp): Open =>
  click('/portal/members', new RegExp(`^Acts for ${name}`), act);

const ofFirewalls = (...names: readonly RegExp[]): Open =>
  click('/portal/p/flexible-vps/firewalls', ...names);
const ofRules =
  (...names: readonly RegExp[]): Open =>
  (scene) =>
    click(`/portal/p/flexible-vps/firewalls/${scene.products.firewall}?tab=rules`, ...names)(scene);
const ofMembers =
  (...names: readonly RegExp[]): Open =>
  (scene) =>
    click(`/portal/p/flexible-vps/networks/${scene.products.network}?tab=members`, ...names)(scene);

const ofBackup =
  (...names: readonly RegExp[]): Open =>
  (scene) =>
    click(`/portal/p/flexible-vps/backups/${scene.products.backup}`, ...names)(scene);

async function makeProducts({ t }: BrowserPortal, { account }: Seeded): Promise<Products> {
  const { key } = await createKey(t.services.db, account, { name: 'works' });
  const made = async (path: string, payload: object): Promise<string> => {
    const answer = await t.call({ method: 'POST', url: `/flexible-vps/v1/${path}`, key, payload });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    await settle(t);
    return answer.json<{ id: string }>().id;
  };
  const rules = [{ direction: 'in', action: 'allow', protocol: 'tcp', ports: ['22'] }];
  const firewall = await made('firewalls', { name: 'shown', rules });
  const source = { type: 'image', image_id: 'debian-12' };
  const vm = await made('vms', { name: 'member', location: 'fra1', plan: 'flex-1-2', source });
  const network = await made('networks', { name: 'inside', location: 'fra1', ipv4_cidr: '10.10.0.0/24' });
  await made(`vms/${vm}/interfaces`, { network_id: network });
  const backup = await made('backups', { vm_id: vm });
  return { firewall, network, backup };
}

/** By the file that has the dialog. A file with several acts says them in its type `Act`. */
const openers: Readonly<Record<string, Readonly<Record<string, Open>>>> = {
  ...Object.fromEntries(
    Object.entries(dialogPages).map(([file, paths]) => [
      file,
      Object.fromEntries(paths.map((path) => [path, click(path)])),
    ]),
  ),
  'app/reauth-dialog.tsx': {
    asked: async ({ careful }) => {
      await openWide(careful, '/portal/me/security?add=codes');
      await pressWhenReady(careful.page.getByRole('button', { name: 'Make ten codes' }));
      await careful.page.getByLabel('Your password').waitFor();
      return careful;
    },
  },
  'app/sign-in-again.tsx': {
    ended: async ({ portal, seeded }) => {
      const { db } = portal.t.services;
      const person = await createPerson(db, { name: 'Late Person' });
      await joinAccount(db, person, seeded.account.id, 'viewer');
      const tab = await portal.tab({ token: await createSession(db, person) });
      await openWide(tab, '/portal/me');
      await db.deleteFrom('sessions').where('person_id', '=', person.id).execute();
      await tab.page.getByRole('button', { name: 'Save' }).click();
      await tab.page.getByLabel('Password').fill(PASSWORD);
      return tab;
    },
  },
  'pages/me/security.tsx': {
    remove: async ({ careful }) => {
      await openWide(careful, '/portal/me/security');
      await careful.page.getByRole('button', { name: 'Remove' }).click();
      return careful;
    },
  },
  'pages/approvals/one.tsx': {
    deny: (scene) => click(`/portal/approvals/${scene.approvalId}`, /^Deny$/)(scene),
  },
  'pages/explorer/confirm-by-name.tsx': {
    confirm: async (scene) => {
      const { tab, portal, seeded } = scene;
      const made = await portal.server.inject({
        method: 'POST',
        url: '/flexible-vps/v1/placement-groups',
        headers: { 'x-api-key': seeded.keys['assistant']!.key },
        payload: { name: 'to-be-deleted', policy: 'spread', location: 'fra1' },
      });
      await openWide(tab, '/portal/api/explorer/deletePlacementGroup');
      await pickerOf(tab.page, /^(id|Placement group)/i)
        .first()
        .selectOption(made.json<{ id: string }>().id);
      await tab.page.getByRole('button', { name: 'Dry run' }).click();
      await tab.page.getByText('dry run: nothing was changed').waitFor();
      await tab.page.getByRole('button', { name: 'Send for real' }).click();
      return undefined;
    },
  },
  'pages/members/member-menu.tsx': {
    role: ofMember('Grace', /^Change the role/),
    suspend: ofMember('Grace', /^Suspend/),
    reinstate: ofMember('Away', /^Reinstate/),
    remove: ofMember('Grace', /^Remove/),
  },
  'pages/keys/key-menu.tsx': {
    suspend: ofKey('ci-production', /^Suspend/),
    resume: ofKey('old-backup', /^Resume/),
    revoke: ofKey('ci-production', /^Revoke/),
    transfer: ofKey('ci-production', /^Transfer/),
  },
  'pages/keys/edit-key.tsx': { edit: ofKey('ci-production', /^Name and notes/) },
  'pages/keys/roll-key.tsx': {
    roll: ofKey('ci-production', /^Roll/),
    permissions: ofKey('assistant', /^Roll/),
    foreign: click('/portal/api/keys?roll=unknown'),
  },
  'pages/keys/key-details.tsx': {
    ...Object.fromEntries(
      (dialogPages['pages/keys/key-details.tsx'] ?? []).map((path) => [path, click(path)]),
    ),
    details: ofKey('ci-production', /^Details/),
  },
  'pages/keys/allowlist.tsx': {
    add: click('/portal/api/keys/allowlist?add=new'),
    remove: click('/portal/api/keys/allowlist', /^Remove 203/),
  },
  'pages/operations/cancel.tsx': {
    cancel: (scene) => click(`/portal/operations/${scene.operationId}`, /^Cancel it/)(scene),
  },
  'pages/budgets/budget-menu.tsx': {
    lock: ofBudget('everything', /^Lock/),
    unlock: ofBudget('agents', /^Unlock/),
    delete: ofBudget('everything', /^Delete/),
  },
  'pages/webhooks/one.tsx': { roll: ofWebhook(/^New secret/), delete: ofWebhook(/^Delete/) },
  'pages/webhooks/secret-once.tsx': {
    rolled: async (scene) => {
      await ofWebhook(/^New secret/)(scene);
      await pressWhenReady(scene.tab.page.getByRole('button', { name: 'Make a new secret' }));
      await scene.tab.page.locator('[data-secret]').waitFor();
      return undefined;
    },
  },
  'resource/act-dialog.tsx': {
    change: ofFirewalls(/^Acts on Firewall shown/, /^Change$/),
    delete: ofFirewalls(/^Acts on Firewall shown/, /^Delete$/),
  },
  'resource/bulk.tsx': {
    delete: async ({ tab }) => {
      await openWide(tab, '/portal/p/flexible-vps/firewalls');
      await tab.page.getByLabel('Select shown').check();
      await tab.page.getByRole('button', { name: 'Delete' }).click();
      return undefined;
    },
  },
  'resource/answered-once.tsx': {
    made: async ({ tab }) => {
      // Without an SSH key, a new machine has a password.
      await openWide(tab, '/portal/p/flexible-vps/vms/new');
      await pressWhenReady(tab.page.getByRole('button', { name: 'Create machine' }));
      await tab.page.getByRole('button', { name: 'I have kept it' }).waitFor();
      return undefined;
    },
  },
  'pages/products/backups/restore.tsx': {
    restores: ofBackup(/^Restore$/),
    elsewhere: ofBackup(/^Restore$/, /^Restore it to another machine/),
  },
  'pages/products/firewall/all-fields.tsx': { fields: ofRules(/^Acts on rule 1/, /^All fields/) },
  'pages/products/firewall/apply-dialog.tsx': {
    apply: ofRules(/^Acts on rule 1/, /^Remove/, /^Apply/),
  },
  'ui/leaving.tsx': {
    rules: async (scene) => {
      await ofRules(/^Acts on rule 1/, /^Remove/)(scene);
      await scene.tab.page.getByRole('link', { name: 'Overview' }).click();
      return undefined;
    },
  },
  'pages/products/isos/insert.tsx': {
    inserts: async ({ tab }) => {
      await openWide(tab, '/portal/p/flexible-vps/isos');
      await tab.page.locator('tbody a').first().click();
      await pressWhenReady(tab.page.getByRole('button', { name: 'Insert into a machine' }));
      return undefined;
    },
  },
  'pages/products/network/attach.tsx': { attach: ofMembers(/^Attach machine/) },
  'pages/products/network/detach.tsx': { detach: ofMembers(/^Acts on 10\./, /^Detach/) },
  'pages/products/vm/ssh-keys.tsx': {
    adds: click('/portal/p/flexible-vps/vms/new', /^Add an SSH key/),
  },
  'pages/keys/enforce.tsx': { preview: click('/portal/api/keys/allowlist', /Enforce/) },
  'pages/keys/stop-all.tsx': { stop: click('/portal/api/keys', /^Suspend all keys/) },
  'pages/keys/secret-once.tsx': {
    made: async ({ tab }) => {
      await openWide(tab, '/portal/api/keys?create=new');
      await tab.page.getByLabel('Key Name').fill('shown-once');
      await pressWhenReady(tab.page.getByRole('button', { name: 'Create Key' }).last());
      await tab.page.locator('[data-secret]').waitFor();
      return undefined;
    },
  },
};

it('every file of the application that has a dialog is among those that are opened here, with all its acts', () => {
  const folder = new URL('../../../../portal/src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && file !== 'ui/dialog.tsx')
    .map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }))
    .filter(({ text }) => /<(Dialog|Confirm)\b/.test(text))
    .filter(({ text }) => !/\bconst Dialog = lazy\(/.test(text));
  const missing = files.flatMap(({ file, text }) => {
    const acts = [...(/^type Act = (.*);$/m.exec(text)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, act]) => act,
    );
    const opened = Object.keys(openers[file] ?? {});
    if (opened.length === 0) return [file];
    return acts.filter((act) => !opened.includes(act ?? '')).map((act) => `${file} ${act}`);
  });
  expect(files.length).toBeGreaterThan(12);
  expect(missing).toEqual([]);
});

describeInBrowser('every dialog', () => {
  let scene: Scene;

  beforeAll(async () => {
    const portal = await openPortal();
    const { services } = portal.t;
    const seeded = await seedAccount(portal.t);
    // Machines are made to their end, before there is an operation that can be cancelled.
    const products = await makeProducts(portal, seeded);
    const topics = await seedTopics(portal.t, seeded);
    const away = await createMember(services.db, seeded.account.id, 'developer', 'suspended');
    await services.db.updateTable('members').set({ name: 'Away Person' }).where('id', '=', away).execute();
    await stretchNames(portal.t, seeded);
    const person = await createPerson(services.db, { name: 'Careful Person' });
    await joinAccount(services.db, person, seeded.account.id, 'viewer');
    await services.db
      .updateTable('people')
      .set({ totp_secret: services.secrets.close(randomBytes(20), person.id), totp_enabled_at: new Date() })
      .where('id', '=', person.id)
      .execute();
    const token = await createSession(services.db, person, { reauthenticated: false });
    const tab = await portal.tab({ token: seeded.token });
    scene = { portal, seeded, ...topics, products, tab, careful: await portal.tab({ token }) };
  });

  afterAll(() => scene.portal.close());

  const all = Object.entries(openers).flatMap(([file, acts]) =>
    Object.entries(acts).map(([act, open]) => ({ file, act, open })),
  );

  it.each(all)(
    '$file ($act) has no barriers, keeps the focus inside, and gives it back',
    async ({ open }) => {
      const tab = (await open(scene)) ?? scene.tab;
      const dialog = tab.page.getByRole('dialog').last();
      await dialog.waitFor();
      await inspect(tab);
      const inside = (): Promise<boolean> =>
        tab.page.evaluate('document.activeElement?.closest("dialog[open]") !== null');
      expect(await inside()).toBe(true);
      const opened = await tab.page.getByRole('dialog').count();
      const kept = tab.page.getByRole('button', { name: /^(I have kept it|Sign in)$/ });
      if ((await kept.count()) > 0) await kept.click();
      else await tab.page.keyboard.press('Escape');
      await expect.poll(() => tab.page.getByRole('dialog').count()).toBe(opened - 1);
      expect(await tab.page.evaluate('document.activeElement === document.body')).toBe(false);
    },
  );
});
