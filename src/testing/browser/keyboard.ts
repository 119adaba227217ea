/** A person who has nothing but a keyboard: goes from control to control, and sees where the focus is. */
import type { Page } from 'playwright-core';

/** In the page: whether people see that the control has the focus. A radio card is marked as a whole. */
export const IS_MARKED = `((control) => {
  const isOutlined = (e) => e !== null && e.checkVisibility({ visibilityProperty: true })
    && parseFloat(getComputedStyle(e).outlineWidth) >= 2 && getComputedStyle(e).outlineStyle !== 'none';
  return isOutlined(control) || isOutlined(control.closest('label'));
})`;

const FOCUSED = `(() => {
  const focused = document.activeElement;
  const name = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent;
  return {
    name: focused === document.body ? '' : name.replaceAll(/\\s+/g, ' ').trim(),
    what: focused.outerHTML.slice(0, 120),
    isMarked: focused === document.body || ${IS_MARKED}(focused),
  };
})()`;

interface Focused {
  readonly name: string;
  readonly what: string;
  readonly isMarked: boolean;
}

export const focusedOn = (page: Page): Promise<Focused> => page.evaluate<Focused>(FOCUSED);

const isNamed = (name: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? name === wanted : wanted.test(name);

/** More controls than any page has. */
const MOST = 200;

/** Presses Tab until the control with the name has the focus. Every control on the way must show that it has it. */
export async function tabTo(
  page: Page,
  wanted: string | RegExp,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  const reached = new Set<string>();
  for (let presses = 0; presses < MOST; presses++) {
    await page.keyboard.press(key);
    const { name, what, isMarked } = await focusedOn(page);
    if (!isMarked) throw new Error(`Nobody sees that this has the focus: ${what}`);
    if (isNamed(name, wanted)) return;
    reached.add(name);
  }
  throw new Error(`${key} does not reach ${wanted}, but ${[...reached].join(', ')}.`);
}

/** Types where the focus is, which must be the field with the name. */
export async function typeInto(page: Page, field: string | RegExp, text: string): Promise<void> {
  const { name, what, isMarked } = await focusedOn(page);
  if (!isNamed(name, field)) throw new Error(`The focus is not on ${field}, but on ${what}`);
  if (!isMarked) throw new Error(`Nobody sees that this has the focus: ${what}`);
  await page.keyboard.type(text);
}
