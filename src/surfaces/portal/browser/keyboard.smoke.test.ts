/** With the keyboard alone: Tab reaches everything, shows where it is, and is never caught. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { openWide } from '../../../testing/browser/inspect.ts';
import { IS_MARKED } from '../../../testing/browser/keyboard.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { seedAccount, seedTopics } from '../../../testing/browser/seed.ts';

/**
 * Marks the control that has the focus as reached, and tells what is left.
 * The page is counted anew each time, because a page that is still loading replaces its controls.
 */
const FOCUSED = `(() => {
  const focused = document.activeElement;
  focused.dataset.reached = '';
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const isShown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.tabIndex >= 0 && !e.disabled;
  const isChosen = (e) => e.type !== 'radio' || e.checked;
  const controls = all.filter((e) => isShown(e) && isChosen(e));
  const describe = (e) => e.outerHTML.slice(0, 90);
  return {
    controls: controls.length,
    missed: controls.filter((e) => e.dataset.reached === undefined).map(describe),
    isMarked: focused === document.body || ${IS_MARKED}(focused),
    what: describe(focused),
  };
})()`;

interface Focused {
  readonly controls: number;
  readonly missed: readonly string[];
  readonly isMarked: boolean;
  readonly what: string;
}

async function tabThrough(page: Page): Promise<{ missed: readonly string[]; unmarked: string[] }> {
  const unmarked = new Set<string>();
  let focused = await page.evaluate<Focused>(FOCUSED);
  // Twice around would do: whoever is caught reaches less.
  for (let presses = 0; presses < focused.controls * 2 + 4 && focused.missed.length > 0; presses++) {
    await page.keyboard.press('Tab');
    focused = await page.evaluate<Focused>(FOCUSED);
    if (!focused.isMarked) unmarked.add(focused.what);
  }
  return { missed: focused.missed, unmarked: [...unmarked] };
}

describeInBrowser('the portal with the keyboard', () => {
  let portal: BrowserPortal;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    const seeded = await seedAccount(portal.t);
    await seedTopics(portal.t, seeded);
    tab = await portal.tab({ token: seeded.token });
  });

  afterAll(() => portal.close());

  it.each([
    '/portal',
    '/portal/api/keys',
    '/portal/api/keys/allowlist',
    '/portal/api/explorer/createVm',
    '/portal/members',
    '/portal/me/security',
  ])('%s: Tab reaches every control, and shows it', async (path) => {
    await openWide(tab, path);
    expect(await tabThrough(tab.page)).toEqual({ missed: [], unmarked: [] });
  });

  it('Ctrl K opens the search from everywhere, and Esc gives the focus back', async () => {
    const { page } = tab;
    const focused = (): Promise<string> =>
      page.evaluate(
        'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent',
      );
    await openWide(tab, '/portal/members');
    await page.getByRole('button', { name: 'Acts for Grace Hopper' }).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('combobox').count()).toBe(0);
    expect(await focused()).toBe('Acts for Grace Hopper');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('security');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Security' }).waitFor();
  });

  it('the search has every letter that was typed while it was loaded', async () => {
    const { page } = tab;
    let load = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      await asked;
      await route.continue();
    });
    await openWide(tab, '/portal/members');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('secx');
    await page.keyboard.press('Backspace');
    load();
    const field = page.getByRole('combobox', { name: 'Search or jump to' });
    await field.waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('urity');
    expect(await field.inputValue()).toBe('security');
    await page.keyboard.press('Escape');
    await page.unrouteAll();
  });

  it('the search says what is not there, and Enter goes to the nearest topic', async () => {
    const { page } = tab;
    await openWide(tab, '/portal/members');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('load balancer');
    await page.getByText('Nothing here is about load balancers. The nearest topics:').waitFor();
    await page.getByRole('option', { name: 'List machines' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'List machines' }).waitFor();
  });

  it('a menu opens with the arrow key, moves with it, and its dialog gives the focus back to its button', async () => {
    const { page } = tab;
    await openWide(tab, '/portal/api/keys');
    await page.getByRole('button', { name: 'Acts for ci-production' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate<Focused>(FOCUSED)).toMatchObject({ isMarked: true });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'Acts for ci-production',
    );
    expect(tab.complaints).toEqual([]);
  });

  it('a menu lies within the screen, closes with Esc or by a click elsewhere, and gives the focus back', async () => {
    const { page } = tab;
    await tab.page.setViewportSize({ width: 390, height: 600 });
    await tab.open('/portal/api/keys');
    const buttons = page.getByRole('button', { name: /^Acts for / });
    await buttons.last().waitFor();
    for (const button of await buttons.all()) {
      await button.focus();
      await page.keyboard.press('Enter');
      const menu = page.getByRole('menu');
      await menu.getByRole('menuitem').first().waitFor();
      expect(await button.getAttribute('aria-expanded')).toBe('true');
      const box = await menu.boundingBox();
      expect(box!.x).toBeGreaterThanOrEqual(0);
      expect(box!.y).toBeGreaterThanOrEqual(0);
      expect(box!.x + box!.width).toBeLessThanOrEqual(390);
      expect(box!.y + box!.height).toBeLessThanOrEqual(600);
      await page.keyboard.press('Escape');
      await expect.poll(() => menu.count()).toBe(0);
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
        await button.getAttribute('aria-label'),
      );
    }
    await buttons.first().click();
    await page.getByRole('menuitem').first().waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    // The same button opens and closes it.
    await buttons.first().click();
    await page.getByRole('menuitem').first().waitFor();
    await buttons.first().click();
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});
