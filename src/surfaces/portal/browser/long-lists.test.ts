/** Lists of which only what is near the screen is rendered: people still reach every row. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect } from '../../../testing/browser/inspect.ts';
import { focusedOn } from '../../../testing/browser/keyboard.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';

const LIST = '/flexible-vps/v1/placement-groups';
const PAGE = 50;
const GROUPS = 130;

const nameAt = (place: number): string => `group-${String(place).padStart(3, '0')}`;

describeInBrowser('long lists', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let key: TestKey;
  let tab: Tab;
  const ids: string[] = [];

  beforeAll(async () => {
    portal = await openPortal();
    const { db } = portal.t.services;
    seeded = await seedAccount(portal.t);
    key = await createKey(db, seeded.account, { name: 'elsewhere' });
    await db
      .insertInto('account_limits')
      .values({ account_id: seeded.account.id, limit_id: 'flexible-vps.placement-groups', value: null })
      .execute();
    for (let place = 0; place < GROUPS; place++) {
      const payload = { name: nameAt(place), policy: 'spread', location: 'fra1' };
      const made = await portal.t.call({ method: 'POST', url: LIST, key: key.key, payload });
      expect(made.statusCode).toBe(201);
      ids.push(made.json<{ id: string }>().id);
    }
    tab = await portal.tab({ token: seeded.token });
    await tab.open('/portal/p/flexible-vps/placement-groups?sort=name');
    for (let shown = PAGE; shown < GROUPS; shown += PAGE) {
      await tab.page.getByText(`${shown} shown`, { exact: true }).waitFor();
      await tab.page.getByRole('button', { name: 'Load more' }).click();
    }
    await tab.page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
  });

  afterAll(() => portal.close());

  const linkTo = (place: number): Locator => tab.page.getByRole('link', { name: nameAt(place), exact: true });
  const scrollTo = (end: 'Home' | 'End') => tab.page.keyboard.press(`Control+${end}`);

  it('have all rows, but render only those near the screen', async () => {
    const { page } = tab;
    await scrollTo('Home');
    await linkTo(0).waitFor();
    expect(await linkTo(GROUPS - 1).count()).toBe(0);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(GROUPS + 1));
    await scrollTo('End');
    await linkTo(GROUPS - 1).waitFor();
    await linkTo(0).waitFor({ state: 'detached' });
    const last = page.getByRole('row').filter({ has: linkTo(GROUPS - 1) });
    expect(await last.getAttribute('aria-rowindex')).toBe(String(GROUPS + 1));
    expect(await page.getByRole('row').count()).toBeLessThan(GROUPS / 2 + PAGE / 2);
  });

  it('read a row again that comes near the screen', async () => {
    await scrollTo('End');
    await linkTo(GROUPS - 1).waitFor();
    const gone = await portal.t.call({ method: 'DELETE', url: `${LIST}/${ids[2]}`, key: key.key });
    expect(gone.statusCode).toBe(204);
    await scrollTo('Home');
    await linkTo(0).waitFor();
    await linkTo(2).waitFor({ state: 'detached' });
  });

  it('keep what is selected, and the focus, while both are far from the screen', async () => {
    const { page } = tab;
    await scrollTo('Home');
    await page.getByRole('checkbox', { name: `Select ${nameAt(0)}` }).check();
    await page.getByText('1 selected').waitFor();
    await scrollTo('End');
    await linkTo(GROUPS - 1).waitFor();
    expect(await focusedOn(page)).toMatchObject({ name: `Select ${nameAt(0)}` });
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
  });

  it('can be walked from control to control', async () => {
    const { page } = tab;
    await scrollTo('Home');
    await linkTo(0).focus();
    const reached = new Set<string>();
    while (!reached.has(nameAt(70)) && reached.size < GROUPS * 4) {
      await page.keyboard.press('Tab');
      reached.add((await focusedOn(page)).name);
    }
    expect([...reached].filter((name) => name.startsWith('group-'))).toEqual(
      ids.map((_, place) => nameAt(place)).filter((_, place) => place >= 1 && place <= 70 && place !== 2),
    );
  });

  it('have no barriers', async () => {
    await scrollTo('End');
    await inspect(tab);
  });
});
