/** Asking axe only about what is new finds the same as asking about the whole page each time. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBarriers } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { describeInBrowser } from './describe.ts';

/** Sound texts of several looks, and faults that show in one theme only, at one width only, or always. */
const BROKEN = `<!doctype html><html lang="en"><head><title>Broken</title><style>
  body { background: #fff; color: #111; font: 16px sans-serif }
  .box { background: #fff; padding: 8px }
  .pale-in-dark { color: #555 }
  .pale-on-phones { color: #111 }
  .desktop { display: none }
  .phone { height: 40px; overflow: hidden }
  .under { position: relative; height: 40px; background: #111 }
  .over { position: absolute; top: 0; color: #333 }
  @media (prefers-color-scheme: dark) {
    body, .box { background: #111; color: #eee }
    .pale-on-phones { color: #eee }
    a { color: #9cf }
  }
  @media (max-width: 400px) { .pale-on-phones { color: #777 } .phone { overflow: auto } }
  @media (min-width: 1000px) { .desktop { display: block } }
  </style></head><body><main><h1>Broken</h1>
  <div class="box"><p>Sound</p><p>Sound too</p><p class="pale-in-dark">Pale in the dark</p></div>
  <p class="pale-on-phones">Pale on phones</p>
  <p class="desktop"><img src="data:," id="nameless"></p>
  <div class="phone"><p>Scrolls on phones</p><p>and has nothing</p><p>for the keyboard</p></div>
  <div class="under"><span class="over">Dark on dark, and not in it</span></div>
  <p style="opacity: 0.4">Faded</p><button></button>
  </main></body></html>`;

const COMBINATIONS = [1440, 1024, 768, 390, 320].flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
);

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function findAll(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run({ preload: false })');
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function lookEverywhere(page: Page, find: (page: Page) => Promise<string[]>): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { width, theme } of COMBINATIONS) {
    await page.setViewportSize({ width, height: 560 });
    await page.emulateMedia({ colorScheme: theme });
    for (const barrier of await find(page)) found.add(barrier.replace(/ Fix .*$/s, ''));
  }
  return found;
}

describeInBrowser('the search for barriers', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  afterAll(() => browser.close());

  it('finds in a page that stays open what axe finds in the whole page at each width in each theme', async () => {
    const page = await browser.newPage();
    await page.setContent(BROKEN);
    const cheap = await lookEverywhere(page, findBarriers);
    const whole = await lookEverywhere(page, findAll);
    expect([...cheap].sort()).toEqual([...whole].sort());
    expect([...whole].map((barrier) => barrier.replace(/:.*$/s, '')).sort()).toEqual([
      'button-name',
      'color-contrast',
      'color-contrast',
      'color-contrast',
      'color-contrast',
      'image-alt',
      'scrollable-region-focusable',
    ]);
    await page.close();
  });

  it('finds a fault that comes into a page which was sound', async () => {
    const page = await browser.newPage();
    await page.setContent('<html lang="en"><title>Sound</title><main><h1>Sound</h1><p>Text</p></main>');
    expect(await findBarriers(page)).toEqual([]);
    await page.evaluate(
      'document.querySelector("main").append(document.createElement("button"), document.querySelector("p").cloneNode(true))',
    );
    expect(await findBarriers(page)).toHaveLength(1);
    await page.evaluate('document.querySelector("p").style.color = "#aaa"');
    expect((await findBarriers(page)).join()).toMatch(/^button-name.*,color-contrast/s);
    await page.close();
  });
});
