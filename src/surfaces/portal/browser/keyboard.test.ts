/** With the keyboard alone: Tab reaches everything, shows where it is, and is never caught. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { seedAccount, seedTopics } from '../../../testing/browser/seed.ts';

const title = 'with the keyboard';

/** Gives every control that Tab should reach a number, and returns how many there are. */
const NUMBER = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const isShown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.tabIndex >= 0 && !e.disabled;
  const isChosen = (e) => e.type !== 'radio' || e.checked;
  const found = all.filter((e) => isShown(e) && isChosen(e));
  found.forEach((e, i) => { e.dataset.reach = i; });
  return found.length;
})()`;

/** The number of the control that has the focus, and whether people can see that it has it. */
const FOCUSED = `(() => {
  const e = document.activeElement;
  const isMarked = (each) => each !== null && parseFloat(getComputedStyle(each).outlineWidth) >= 2
    && getComputedStyle(each).outlineStyle !== 'none';
  return { number: e?.dataset.reach ?? null, isMarked: isMarked(e) || isMarked(e.closest('label')), what: e.outerHTML.slice(0, 90) };
})()`;

interface Focused {
  readonly number: string | null;
  readonly isMarked: boolean;
  readonly what: string;
}

async function tabThrough(page: Page): Promise<{ missed: number; unmarked: string[] }> {
  const controls = await page.evaluate<number>(NUMBER);
  const reached = new Set<string>();
  const unmarked: string[] = [];
  // Twice around would do: whoever is caught reaches less.
  for (let presses = 0; presses < controls * 2 + 4 && reached.size < controls; presses++) {
    await page.keyboard.press('Tab');
    const { number, isMarked, what } = await page.evaluate<Focused>(FOCUSED);
    if (number === null) continue;
    reached.add(number);
    if (!isMarked) unmarked.push(what);
  }
  return { missed: controls - reached.size, unmarked: [...new Set(unmarked)] };
}

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
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
    expect(await tabThrough(tab.page)).toEqual({ missed: 0, unmarked: [] });
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
});
