/** Looks at a page as people with all kinds of screens do: barriers, complaints, and what lies beside the screen. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBarriers } from './axe.ts';
import type { Tab } from './portal.ts';

const DESKTOP = 1440;
const NARROWEST = 320;
const LOW = 560;
/** From wide to narrow, between the widths at which the layout changes. */
const WIDTHS = [DESKTOP, 1024, 768, 390, NARROWEST];
const THEMES = ['light', 'dark'] as const;

/** Asks from outside: the page's own policy forbids the code with which Playwright would wait within it. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.locator('[aria-label=Loading]').count()).toBe(0);
}

/** A field to pick one of a few. While their list is read, it is disabled. */
export const pickerOf = (page: Page, label: string | RegExp): Locator =>
  page.getByLabel(label, { exact: true }).and(page.locator('select'));

export const buttonOf = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true });

/** A button that cannot be used yet says why, and takes no press. */
export async function pressWhenReady(button: Locator): Promise<void> {
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe(null);
  await button.click();
}

/**
 * What lies beside the screen: anything that makes the page scroll sideways, and buttons that cannot be reached, because
 * neither the page nor a box around them scrolls there. Dialogs do not scroll with the page, so their buttons must
 * also be neither above nor below the screen.
 */
const beside = (page: Page): Promise<string[]> =>
  page.evaluate(
    `(() => {
      const boxOf = (e) => e.getBoundingClientRect();
      const named = (e) => e.outerHTML.slice(0, 120);
      const all = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility({ visibilityProperty: true }));
      const isWide = document.documentElement.scrollWidth > innerWidth;
      const wide = isWide ? all.filter((e) => boxOf(e).right > innerWidth + 1).slice(0, 3).map(named) : [];
      const scrolls = (e, axis) => /auto|scroll/.test(getComputedStyle(e)['overflow' + axis]);
      const isIn = (e, box) => {
        const { left, right, top, bottom } = boxOf(e);
        const isBeside = left < box.left - 1 || right > box.right + 1;
        const isOver = e.closest('dialog') && (top < box.top - 1 || bottom > box.bottom + 1);
        for (let up = e.parentElement; up; up = up.parentElement)
          if ((!isBeside || scrolls(up, 'X')) && (!isOver || scrolls(up, 'Y'))) return true;
        return false;
      };
      const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
      const lost = all.filter((e) => e.matches('button, .btn, dialog')).filter((e) => !isIn(e, screen)).map(named);
      return [...(isWide && wide.length === 0 ? ['something'] : wide), ...lost];
    })()`,
  );

/**
 * What is smaller than its content and does not scroll, besides words for screen readers. Dialogs and columns of a low
 * screen scroll as a whole.
 */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('body *')]
      .filter((e) => getComputedStyle(e).overflowY === 'hidden' && getComputedStyle(e).display !== 'inline')
      .filter((e) => e.clientWidth > 1 && e.scrollHeight > e.clientHeight + 2)
      .map((e) => e.outerHTML.slice(0, 120))`,
  );

const wide = { width: DESKTOP, height: 900 };

/** Loads the page as wide as a desktop. The last page left the screen narrow. */
export async function openWide({ page, open }: Tab, path: string): Promise<void> {
  await page.setViewportSize(wide);
  await open(path);
  await settled(page);
}

/** Goes to the page as a link does, as wide as a desktop. */
export async function goWide({ page, go, open }: Tab, path: string): Promise<void> {
  await page.setViewportSize(wide);
  // A dialog that a test before has left open would stay.
  await ((await page.locator('dialog[open]').count()) > 0 ? open : go)(path);
  await settled(page);
}

/** Looks at the page in both themes at each width. */
export async function inspect({ page, complaints }: Tab): Promise<void> {
  await settled(page);
  const barriers: string[] = [];
  const out: string[] = [];
  const cut: string[] = [];
  for (const [i, width] of WIDTHS.entries()) {
    await page.setViewportSize({ width, height: LOW });
    // Begins with the theme that the last width has ended with.
    for (const theme of i % 2 === 0 ? THEMES : THEMES.toReversed()) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      barriers.push(...(await findBarriers(page)).map((barrier) => `${width} ${theme} ${barrier}`));
    }
    out.push(...(await beside(page)).map((what) => `${width} ${what}`));
    if (width === DESKTOP || width === NARROWEST)
      cut.push(...(await cutOff(page)).map((what) => `${width} ${what}`));
  }
  expect({ barriers, beside: out, cut, complaints }).toEqual({
    barriers: [],
    beside: [],
    cut: [],
    complaints: [],
  });
}
