/** Looks at a page as people with all kinds of screens do: barriers, complaints, and what lies beside the screen. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { isLong } from '../long-form.ts';
import { withAxe } from './axe.ts';
import type { Tab } from './portal.ts';

const PHONE = 390;
const DESKTOP = 1440;
const NARROWEST = 320;
const LOW = 560;

/** All four combinations cost minutes, so the short form looks at two: every theme and every width is in one of them. */
const looks: readonly { readonly width: number; readonly theme: 'light' | 'dark' }[] = [
  { width: DESKTOP, theme: 'light' },
  { width: PHONE, theme: 'dark' },
  ...(isLong
    ? ([
        { width: DESKTOP, theme: 'dark' },
        { width: PHONE, theme: 'light' },
      ] as const)
    : []),
];

/** Asks from outside: the page's own policy forbids the code with which Playwright would wait within it. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.locator('[aria-label=Loading]').count()).toBe(0);
}

/** A field to pick one of a list. Until the list has been read, people can only type there. */
export const pickerOf = (page: Page, label: string | RegExp): Locator =>
  page.getByLabel(label, { exact: true }).and(page.locator('select'));

/** What the page has that lies to the right of the screen. */
const beside = (page: Page): Promise<string> =>
  page.evaluate(
    'document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 120)).slice(0, 3).join(" ") || "something" : ""',
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

/** Opens the page as wide as a desktop. The last page left the screen narrow. */
export async function openWide({ page, open }: Tab, path: string): Promise<void> {
  await page.setViewportSize({ width: DESKTOP, height: 900 });
  await open(path);
  await settled(page);
}

/** `only`: the short form takes one of its looks, another one for each number. */
export async function inspect({ page, complaints }: Tab, only?: number): Promise<void> {
  await settled(page);
  const found: string[] = [];
  const chosen = only === undefined || isLong ? looks : looks.slice(only % looks.length).slice(0, 1);
  await withAxe(page, async (find) => {
    for (const { width, theme } of chosen) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      found.push(...(await find()).map((barrier) => `${width} ${theme} ${barrier}`));
    }
  });
  const cut: string[] = [];
  for (const width of [DESKTOP, NARROWEST]) {
    await page.setViewportSize({ width, height: LOW });
    cut.push(...(await cutOff(page)).map((what) => `${width} ${what}`));
  }
  expect({ barriers: found, beside: await beside(page), cut, complaints }).toEqual({
    barriers: [],
    beside: '',
    cut: [],
    complaints: [],
  });
}
