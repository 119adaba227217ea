/** The portal: how soon the list of an account's machines answers a person who has loaded all of them. */
import type { Browser, Page } from 'playwright-core';
import { launchChromium, whyNoBrowser } from '../../src/testing/browser/chromium.ts';
import { median } from '../median.ts';
import { createSessions } from '../people.ts';
import { CPU_SLOWDOWN } from './portal.ts';
import { below, type Row, type Stage } from './row.ts';

const LIST = '/portal/p/flexible-vps/vms';
const MOST = 200;
/** One interaction in so many may be slower: the definition of INP. */
const LEFT_OUT = 50;
const WINDOW = { width: 1440, height: 900 };

/** In the page: the longest event of each key press or click. The browser reports none that took less than a frame. */
const OBSERVE = `globalThis.taken = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries())
    if (interactionId > 0) taken.set(interactionId, Math.max(duration, taken.get(interactionId) ?? 0));
}).observe({ type: 'event', durationThreshold: 16 });`;
const FRAME = 16;

/** The time of the last interaction, when the page has painted all that follows from it. */
const TAKE = `new Promise((done) => {
  const idle = () => requestIdleCallback(() => {
    const longest = Math.max(${FRAME}, ...taken.values());
    taken.clear();
    done(longest);
  });
  requestAnimationFrame(() => requestAnimationFrame(idle));
})`;

interface Interaction {
  readonly what: string;
  readonly milliseconds: number;
}

class Person {
  readonly #page: Page;
  readonly done: Interaction[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#measure(key, () => this.#page.keyboard.press(key));
  }

  async click(name: string): Promise<void> {
    const button = this.#page.getByRole('button', { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    await this.#measure(name, () => button.click());
  }

  async #measure(what: string, act: () => Promise<void>): Promise<void> {
    await this.#page.evaluate(TAKE);
    await act();
    this.done.push({ what, milliseconds: await this.#page.evaluate<number>(TAKE) });
  }
}

/** Presses `Load more` until all machines are there. */
async function loadAll(page: Page, machines: number): Promise<void> {
  const more = page.getByRole('button', { name: 'Load more', exact: true });
  for (let shown = 50; shown < machines; shown += 50) {
    await page.getByText(`${shown} shown`, { exact: true }).waitFor();
    await more.click();
  }
  await more.waitFor({ state: 'detached' });
}

/** What one does in a list. The filter comes last, because the list begins with its first page again after it. */
async function useList(page: Page, name: string): Promise<readonly Interaction[]> {
  const person = new Person(page);
  await page.getByRole('checkbox').first().focus();
  await person.press('Space', 'Tab', 'Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Tab', 'Space', 'Shift+Tab');
  await person.press('Enter', 'ArrowDown', 'ArrowDown', 'Escape');
  await person.press('PageDown', 'PageDown', 'PageDown', 'PageUp', 'End', 'Home');
  await person.press('Control+k', ...'bench-42', 'ArrowDown', 'ArrowUp', 'Escape');
  await person.click('Select none');
  await page.getByLabel('Exact name').focus();
  await person.press(...name);
  await page.getByRole('link', { name, exact: true }).waitFor();
  await person.press(...Array<string>(name.length).fill('Backspace'));
  await page.getByRole('row').nth(2).waitFor();
  return person.done;
}

async function openList(browser: Browser, origin: string, token: string): Promise<Page> {
  const context = await browser.newContext({ viewport: WINDOW });
  await context.addCookies([{ name: 'hp_session', value: token, url: origin }]);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(OBSERVE);
  await page.goto(origin + LIST);
  return page;
}

export async function measureLongList(stage: Stage): Promise<Row[]> {
  if (whyNoBrowser !== null) {
    console.error(`The figures of the long list are missing: ${whyNoBrowser}.`);
    return [
      { figure: 'portal: INP', value: 'not known', target: 'see method', met: null, context: whyNoBrowser },
    ];
  }
  const { product, fixture } = stage;
  const [fleet] = fixture.fleets;
  const [token] = await createSessions(fixture, fleet!.accountId, 1);
  const browser = await launchChromium();
  try {
    const page = await openList(browser, `http://localhost:${product.port}`, token!);
    await loadAll(page, fleet!.machines);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    const done = await useList(page, `bench-${fleet!.machines}`);
    const sorted = done.toSorted((a, b) => b.milliseconds - a.milliseconds);
    const inp = sorted[Math.floor(done.length / LEFT_OUT)]!;
    const slowest = sorted.slice(0, 5).map(({ what, milliseconds }) => `${what} ${milliseconds} ms`);
    const middle = median(done.map(({ milliseconds }) => milliseconds));
    return [
      below(
        `portal: INP of the list with ${fleet!.machines.toLocaleString('en')} machines, CPU ÷ ${CPU_SLOWDOWN}`,
        inp.milliseconds,
        MOST,
        ' ms',
        `${done.length} key presses and clicks, half of them within ${middle} ms; the slowest: ${slowest.join(', ')}`,
      ),
    ];
  } finally {
    await browser.close();
  }
}
