/** The portal: how soon and with how many bytes its pages appear, and what people who load them cost the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, whyNoBrowser } from '../../src/testing/browser/chromium.ts';
import { median } from '../median.ts';
import { createSessions, fetchBytes, People } from '../people.ts';
import { processorSeconds } from '../processes.ts';
import { fromManyAddresses } from '../requests.ts';
import { ratiosOf } from '../rounds.ts';
import { below, type Row, type Stage } from './row.ts';

/** The operation with the largest reference page. */
const REFERENCE = '/portal/api/reference/createVm';
const FIRST_PAGE = '/portal';
const PEOPLE = 10;
/** Chromium's own preset "Slow 4G": 1.6 Mbit/s down, 0.75 up, of which 90 % remain, and 150 ms × 3.75 of delay. */
const SLOW_4G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6e6 / 8) * 0.9,
  uploadThroughput: (0.75e6 / 8) * 0.9,
};
export const CPU_SLOWDOWN = 4;

interface Turns {
  readonly loads: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/** Milliseconds to the first content of a page, in a browser that has loaded nothing before. */
async function timeFirstContent(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', SLOW_4G);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    await page.goto(url, { waitUntil: 'load' });
    for (;;) {
      const time = await page.evaluate<number>(
        'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0',
      );
      if (time > 0) return time;
    }
  } finally {
    await context.close();
  }
}

interface Loaded {
  /** Paths, in the order in which the page asked for them. */
  readonly paths: readonly string[];
  /** Those of scripts and styles. */
  readonly code: readonly string[];
  readonly streams: readonly string[];
}

/** What a page asks for, from a real browser. */
async function recordLoad(browser: Browser, origin: string, path: string, token?: string): Promise<Loaded> {
  const context = await browser.newContext();
  if (token !== undefined) await context.addCookies([{ name: 'hp_session', value: token, url: origin }]);
  const page: Page = await context.newPage();
  const [paths, code, streams]: string[][] = [[], [], []];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const isStream = request.headers()['accept'] === 'text/event-stream';
    (isStream ? streams : paths)!.push(pathname + search);
    if (['script', 'stylesheet'].includes(request.resourceType())) code!.push(pathname);
  });
  try {
    await page.goto(origin + path, { waitUntil: 'load' });
    await page.locator('h1').first().waitFor();
    await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' });
    return { paths: paths!, code: [...new Set(code)], streams: streams! };
  } finally {
    await context.close();
  }
}

async function weigh(origin: string, name: string, { code }: Loaded, most: number): Promise<Row> {
  const sizes = await Promise.all(code.map((path) => fetchBytes(origin + path, 'gzip')));
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000;
  return below(`portal: script and style of ${name}, gzip`, kilobytes, most, ' kB', `${code.length} files`);
}

/** Milliseconds of the server's processor time for one page, while it does nothing else. */
async function processorPerPage(pid: number, people: People, milliseconds: number): Promise<number> {
  const before = processorSeconds(pid);
  people.pages = 0;
  people.begin();
  await sleep(milliseconds);
  await people.pause();
  return ((processorSeconds(pid) - before) / people.pages) * 1000;
}

async function compareWhoami(
  { load, product, fixture }: Stage,
  people: People,
  { rounds, roundMs }: Turns,
): Promise<Row> {
  const most = 1.5;
  const set = 'whoami';
  const ask = () => ({ path: '/account/v1/whoami', key: fixture.caller.key });
  await load.prepare(set, fromManyAddresses(ask));
  const order = { port: product.port, set, status: 200, connections: 1, milliseconds: roundMs };
  const alone = async (): Promise<number> => (await load.run(order)).slowest[0] ?? Number.NaN;
  const beside = async (): Promise<number> => {
    people.begin();
    try {
      return await alone();
    } finally {
      await people.pause();
    }
  };
  await beside();
  const [withPeople, without]: [number[], number[]] = [[], []];
  people.pages = 0;
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) without.push(await alone());
    withPeople.push(await beside());
    if (round % 2 === 1) without.push(await alone());
  }
  const perSecond = people.pages / ((rounds * roundMs) / 1000);
  const { median: ratio, text } = ratiosOf(withPeople, without);
  const work = await processorPerPage(product.pid, people, roundMs);
  return {
    figure: `portal: p95 of whoami, ${PEOPLE} people loading pages ÷ without`,
    value: ratio.toFixed(2),
    target: `≤ ${most.toFixed(2)}`,
    met: ratio <= most,
    context: `${text}; ${median(withPeople).toFixed(2)} ms ÷ ${median(without).toFixed(2)} ms; ${perSecond.toFixed(1)} whole pages a second, ${work.toFixed(0)} ms of processor each`,
  };
}

export async function measurePortal(stage: Stage, turns: Turns): Promise<Row[]> {
  if (whyNoBrowser !== null) {
    console.error(`The figures of the portal are missing: ${whyNoBrowser}.`);
    return [{ figure: 'portal', value: 'not known', target: 'see method', met: null, context: whyNoBrowser }];
  }
  const origin = `http://localhost:${stage.product.port}`;
  const sessions = await createSessions(stage.fixture, stage.fixture.accountId, PEOPLE);
  const browser = await launchChromium();
  try {
    await timeFirstContent(browser, origin + REFERENCE);
    const times: number[] = [];
    while (times.length < turns.loads) times.push(await timeFirstContent(browser, origin + REFERENCE));
    const firstPage = await recordLoad(browser, origin, FIRST_PAGE, sessions[0]);
    const signIn = await recordLoad(browser, origin, '/portal/sign-in');
    const seconds = times.map((time) => time / 1000);
    const range = `${Math.min(...seconds).toFixed(2)} to ${Math.max(...seconds).toFixed(2)} s`;
    const rows = [
      below(
        'portal: first content of a reference page, slow 4G, CPU ÷ 4',
        median(seconds),
        2,
        ' s',
        `createVm, nothing cached; median of ${times.length}, ${range}`,
      ),
      await weigh(origin, 'the first signed-in page', firstPage, 150),
      await weigh(origin, 'sign-in', signIn, 85),
    ];
    await browser.close();
    const people = new People(origin, sessions, firstPage);
    return [...rows, await compareWhoami(stage, people, turns)];
  } finally {
    await browser.close();
  }
}
