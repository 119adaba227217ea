/**
 * Looks for barriers with axe, at several widths and in both themes of a page that stays open. It runs in a world of its
 * own beside the page, so that the page's content security policy stays in force.
 *
 * Most of what axe does would be the same each time, so it is asked only about what is new. Rules about colours see the
 * texts that look as none before on any page. All other rules see the document whenever other elements are there, are
 * shown, or scroll.
 */
import axe from 'axe-core';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** How the texts of the page look as it is, and whether other rules may find something new. */
interface News {
  readonly looks: readonly string[];
  readonly isChanged: boolean;
}

/**
 * How a text looks: its own style, and the colours that it stands on, up to one that covers what is below. A text that
 * lies on something else than its parents looks different on each page and at each width.
 */
const WORLD = `globalThis.barriers = (() => {
  const COLOURS = ['color-contrast', 'link-in-text-block'];
  const OWN = ['color', 'fontSize', 'fontWeight', 'textShadow', 'textDecorationLine', 'borderBottomStyle'];
  const states = new Set();
  let texts = new Map();
  const stringOf = (style, names) => names.map((name) => style[name]).join();
  const isShown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isLarger = (e) => e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth;
  const scrolls = (e) => isLarger(e) && /auto|scroll/.test(getComputedStyle(e).overflow);
  const hasText = (e) => e.matches('input:not([type=radio], [type=checkbox]), textarea, select')
    || [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
  /** The page has heard of its new width and theme before the first of these frames, and drawn itself anew before the second. */
  const shown = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  /** Words for screen readers are one pixel wide, or above the page. */
  const isSeen = (e) => ((box) => box.width > 1 && box.bottom + scrollY > 0)(e.getBoundingClientRect());

  function partOf(e) {
    const style = getComputedStyle(e);
    const colour = stringOf(style, ['backgroundColor', 'backgroundImage']);
    return {
      colour,
      mixed: stringOf(style, ['opacity', 'filter', 'mixBlendMode']) + e.matches(':disabled, [aria-disabled=true]'),
      covers: /^rgb\\(.*,none$/.test(colour),
      isPlaced: /absolute|fixed|sticky/.test(style.position),
    };
  }

  function groundOf(e, parts) {
    const ground = [];
    let isCovered = false;
    let liesOver = false;
    for (let up = e; up !== null; up = up.parentElement) {
      const part = parts.get(up) ?? partOf(up);
      parts.set(up, part);
      if (part.mixed !== '1,none,normalfalse') ground.push(part.mixed);
      if (!isCovered && part.colour !== 'rgba(0, 0, 0, 0),none') ground.push(part.colour);
      isCovered ||= part.covers;
      liesOver ||= part.isPlaced && !isCovered;
    }
    return ground.join('|') + (liesOver ? location.pathname + innerWidth : '');
  }

  function lookOf(e, parts) {
    const around = getComputedStyle(e.parentElement).color;
    return [e.localName === 'a', stringOf(getComputedStyle(e), OWN), around, groundOf(e, parts)].join(' ');
  }

  return {
    async news() {
      await shown();
      const all = [...document.body.querySelectorAll('*')];
      const state = document.documentElement.outerHTML
        + all.map((e) => (isShown(e) ? (scrolls(e) ? 2 : 1) : 0)).join('');
      const isChanged = !states.has(state);
      states.add(state);
      texts = new Map();
      const parts = new Map();
      const seen = all.filter((e) => hasText(e) && isShown(e) && isSeen(e));
      // Those without elements in them come first: axe also judges what is in the others.
      for (const e of seen.toSorted((a, b) => a.childElementCount - b.childElementCount)) {
        const look = lookOf(e, parts);
        const alike = texts.get(look) ?? [];
        if (alike.length < 5) texts.set(look, [...alike, e]);
      }
      return JSON.stringify({ looks: [...texts.keys()], isChanged });
    },
    async find({ looks, isChanged }) {
      const options = { resultTypes: ['violations', 'passes'], preload: false };
      const rules = Object.fromEntries(COLOURS.map((id) => [id, { enabled: false }]));
      const others = isChanged ? (await axe.run(document, { ...options, rules })).violations : [];
      const include = looks.flatMap((look) => texts.get(look));
      const { violations, passes } = include.length === 0 ? { violations: [], passes: [] }
        : await axe.run({ include }, { ...options, elementRef: true, runOnly: COLOURS });
      const judged = new Set([...violations, ...passes]
        .flatMap(({ nodes }) => nodes.map(({ element }) => element)));
      const plain = ({ id, impact, nodes }) =>
        ({ id, impact, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) });
      return JSON.stringify({
        violations: [...others, ...violations].map(plain),
        judged: looks.filter((look) => texts.get(look).some((e) => judged.has(e))),
      });
    },
  };
})()`;

interface Found {
  readonly violations: readonly Violation[];
  /** The looks that axe could judge. It cannot say what is below others, and is asked again when the page has changed. */
  readonly judged: readonly string[];
}

/** Of each look on any page of the context, whether axe could judge it. */
const seen = new WeakMap<BrowserContext, Map<string, boolean>>();

type Evaluate = (expression: string) => Promise<string>;

async function openWorld(session: CDPSession): Promise<Evaluate> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  const evaluate = async (expression: string): Promise<string> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return String(result.value);
  };
  await evaluate(axe.source);
  await evaluate(WORLD);
  return evaluate;
}

interface Opened {
  readonly session: CDPSession;
  readonly evaluate: Evaluate;
}

/** The world of the document that the page shows. It lives until the page loads another document. */
const worlds = new WeakMap<Page, Opened>();

async function worldOf(page: Page): Promise<Evaluate> {
  const opened = worlds.get(page);
  const isThere = await opened?.evaluate('typeof barriers').then(
    () => true,
    () => false,
  );
  if (opened !== undefined && isThere) return opened.evaluate;
  const session = opened?.session ?? (await page.context().newCDPSession(page));
  const evaluate = await openWorld(session);
  worlds.set(page, { session, evaluate });
  return evaluate;
}

/** One line for each barrier that is more than minor, without those that were named for the page as it was before. */
export async function findBarriers(page: Page): Promise<string[]> {
  const evaluate = await worldOf(page);
  const known = seen.get(page.context()) ?? new Map<string, boolean>();
  seen.set(page.context(), known);
  const { looks, isChanged } = JSON.parse(await evaluate('barriers.news()')) as News;
  const fresh = looks.filter((each) => !(isChanged ? known.get(each) : known.has(each)));
  if (fresh.length === 0 && !isChanged) return [];
  const asked = JSON.stringify({ looks: fresh, isChanged });
  const { violations, judged } = JSON.parse(await evaluate(`barriers.find(${asked})`)) as Found;
  for (const each of fresh) known.set(each, judged.includes(each));
  return barriersIn(violations);
}

const barriersIn = (violations: readonly Violation[]): string[] =>
  violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
