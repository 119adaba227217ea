/** The pages that are made from the document, one of each shape: no barriers, and room for the longest names. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { addRowTo } from '../../../laws/rows.ts';
import { createWorld, makeOne, type World } from '../../../laws/walk.ts';
import { beginNamesWith } from '../../../laws/world.ts';
import { createAccount } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect, openWide, settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { nounsOf } from '../reference/nouns.ts';
import { nounShapes, productPages } from './page-list.ts';

const found = nounsOf(exampleDocument(buildRegistry(families)));
const { whole, tabs, part, offered } = nounShapes(found);
const paths = productPages(found, (name) => `{${name}}`);
/** Names have up to 63 characters, and a word of these breaks nowhere. */
const LONG = 'w'.repeat(44);

describeInBrowser('product pages', () => {
  let portal: BrowserPortal;
  let world: World;
  let tab: Tab;
  const ids = new Map<string, string>();

  const tabOf = async (accountId: string): Promise<Tab> => {
    return portal.memberTab(accountId, 'owner', { name: 'Ada Lovelace' });
  };

  beforeAll(async () => {
    portal = await openPortal();
    world = await createWorld(portal.t);
    tab = await tabOf(world.account.id);
    const usual = beginNamesWith(LONG);
    const id = await makeOne(whole.create!.path, {}, world);
    ids.set(whole.name, id);
    for (const { name, parent, create } of tabs)
      if (parent?.noun === whole.name && create !== undefined)
        ids.set(name, await makeOne(create.path, { [parent.parameter]: id }, world));
    usual();
  });

  afterAll(() => portal.close());

  const filled = (path: string): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? '');

  it('are of several shapes', () => {
    expect([whole.name, part.parent?.noun]).toEqual([part.parent?.noun, whole.name]);
    expect(tabs.length).toBeGreaterThan(3);
    expect(offered.create).toBe(undefined);
  });

  it.each(paths)('%s has no barriers', async (path) => {
    await openWide(tab, filled(path));
    await inspect(tab);
  });

  it('offer no acts and no selection for rows that belong to the provider', async () => {
    await tab.open('/portal/p/flexible-vps/images');
    const rowsOf = (name: RegExp) => tab.page.getByRole('row', { name });
    const boxes = tab.page.getByRole('checkbox');
    await rowsOf(/Debian 12/).waitFor();
    expect([await boxes.count(), await tab.page.getByRole('button', { name: /^Acts on / }).count()]).toEqual([
      0, 0,
    ]);
    const name = 'of-the-account';
    await addRowTo('/flexible-vps/v1/images', world, name, 0);
    await tab.open('/portal/p/flexible-vps/images');
    await rowsOf(/of-the-account/)
      .getByRole('checkbox')
      .check();
    expect(await boxes.count()).toBe(1);
    await tab.page.getByRole('toolbar', { name: 'Acts on what is selected' }).waitFor();
    await tab.page.getByRole('button', { name: `Acts on Image ${name}` }).click();
    await tab.page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    await tab.open('/portal/p/flexible-vps/images/debian-12');
    await settled(tab.page);
    expect(await tab.page.getByRole('button', { name: /^Acts on |^Delete/ }).count()).toBe(0);
  });

  it('have no barriers while nothing is there', async () => {
    const { db } = portal.t.services;
    const empty = await tabOf((await createAccount(db, { name: 'Empty' })).id);
    await openWide(empty, `/portal/p/${whole.family}/${whole.slug}`);
    await inspect(empty);
    await openWide(empty, `/portal/p/${whole.family}`);
    await inspect(empty);
    await empty.close();
  });

  it('have no barriers in the menu, the dialog of a change and that of a deletion', async () => {
    const { page } = tab;
    await openWide(tab, filled(`/portal/p/${whole.family}/${whole.slug}/{${whole.name}}`));
    await page.getByRole('button', { name: /^Acts on / }).click();
    await inspect(tab);
    await page.getByRole('menuitem').last().click();
    await page.getByRole('region', { name: 'What this does' }).waitFor();
    await inspect(tab);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await settled(page);
    await page.getByRole('dialog').getByLabel(/^Name/).first().waitFor();
    await inspect(tab);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('have no barriers with a row that is selected', async () => {
    await openWide(tab, `/portal/p/${whole.family}/${whole.slug}`);
    await tab.page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await tab.page.getByRole('toolbar', { name: 'Acts on what is selected' }).waitFor();
    await inspect(tab);
  });
});
