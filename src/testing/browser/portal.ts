/** The portal in a real browser: the real server on a free port of this machine, with its own database. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RoleName } from '../../kernel/access/roles.ts';
import { openExchange } from '../../surfaces/http/exchange.ts';
import { createServer } from '../../surfaces/http/server.ts';
import { serveIac } from '../../surfaces/iac/routes.ts';
import { serveOpenapi } from '../../surfaces/openapi/routes.ts';
import { servePages } from '../../surfaces/pages/routes.ts';
import { serveCalls } from '../../surfaces/portal/call.ts';
import { servePortalFiles } from '../../surfaces/portal/files.ts';
import { serveOutbox } from '../../surfaces/portal/outbox.ts';
import { serveActs } from '../../surfaces/portal/routes.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../app.ts';
import { createPerson, createSession, joinAccount } from '../people.ts';
import { launchChromium } from './chromium.ts';

export interface TabOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  /** The value of the session's cookie. */
  readonly token?: string;
}

export interface MemberOptions extends Omit<TabOptions, 'token'> {
  readonly name?: string;
  /** False: acts that matter ask for the password first. */
  readonly reauthenticated?: boolean;
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors on the console, failed scripts, violations of the policy. */
  readonly complaints: string[];
  /** Addresses of answers that the browser reports on its console as failed: refusals, which pages show. */
  readonly refused: string[];
  /** Loads the page, as if somebody had typed its address. */
  open(path: string): Promise<void>;
  /** Shows the page as a link does, without loading the application again, if it is loaded. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface BrowserPortal {
  readonly t: TestApp;
  readonly server: FastifyInstance;
  readonly origin: string;
  readonly browser: Browser;
  tab(options?: TabOptions): Promise<Tab>;
  /** A tab in which somebody new is signed in, who has the role in the account. */
  memberTab(accountId: string, role: RoleName, options?: MemberOptions): Promise<Tab>;
  /** A tab for one thing to do, about which the browser complains of nothing. */
  withTab(options: TabOptions, act: (tab: Tab) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const HEIGHT = 900;

/** In the page: whether the router shows the page of the address. */
const IS_SHOWN = `(({ state, latestLocation }) =>
  state.status === 'idle' && state.resolvedLocation?.href === latestLocation.href)(__TSR_ROUTER__)`;

async function openTab(browser: Browser, origin: string, options: TabOptions): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: HEIGHT },
    colorScheme: options.theme ?? 'light',
    reducedMotion: 'reduce',
  });
  if (options.token !== undefined)
    await context.addCookies([
      { name: 'hp_session', value: options.token, url: origin, sameSite: 'Strict', httpOnly: true },
    ]);
  const page = await context.newPage();
  // As long as the tests themselves: a busy machine must not fail them.
  page.setDefaultTimeout(100_000);
  const complaints: string[] = [];
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // A refused call is an answer that pages show; the browser logs it on its own.
    if (/Failed to load resource: the server responded with a status/.test(message.text()))
      refused.push(message.location().url);
    else complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const open = async (path: string): Promise<void> => {
    await page.goto(`${origin}${path}`);
    await page.waitForSelector('h1');
  };
  return {
    page,
    context,
    complaints,
    refused,
    open,
    async go(path) {
      if (await page.evaluate<boolean>('typeof __TSR_ROUTER__ === "undefined"')) return open(path);
      const shown = await page.evaluate<string>(
        `(({ history }) => (history.push(${JSON.stringify(path)}), history.location.href))(__TSR_ROUTER__)`,
      );
      // A page with changes that are not saved asks first.
      if (shown !== path) return open(path);
      await expect.poll(() => page.evaluate(IS_SHOWN)).toBe(true);
      await page.waitForSelector('h1');
    },
    close: () => context.close(),
  };
}

/** Builds the portal if its sources have changed, and returns the folder of the built files. */
export async function ensurePortal(): Promise<string> {
  const script = (await import('../../../scripts/portal.mjs' as string)) as {
    ensurePortal(): Promise<string>;
  };
  return script.ensurePortal();
}

export async function openPortal(options: TestAppOptions = {}): Promise<BrowserPortal> {
  await ensurePortal();
  const t = await createTestApp(options);
  const server = createServer(t.services);
  serveOpenapi(server, t.services, openExchange);
  serveIac(server, t.services, openExchange);
  servePortalFiles(server, t.services, openExchange);
  servePages(server, t.services, '1.2.3', openExchange, () => '');
  serveActs(server, t.services);
  serveCalls(server);
  serveOutbox(server, t.services);
  await server.listen({ host: 'localhost', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  const browser = await launchChromium();
  const tab: BrowserPortal['tab'] = (tabOptions = {}) => openTab(browser, origin, tabOptions);
  return {
    t,
    server,
    origin,
    browser,
    tab,
    async memberTab(accountId, role, { name, reauthenticated = true, ...shown } = {}) {
      const { db } = t.services;
      const person = await createPerson(db, name === undefined ? {} : { name });
      await joinAccount(db, person, accountId, role);
      return tab({ ...shown, token: await createSession(db, person, { reauthenticated }) });
    },
    async withTab(tabOptions, act) {
      const opened = await tab(tabOptions);
      try {
        await act(opened);
        expect(opened.complaints).toEqual([]);
      } finally {
        await opened.close();
      }
    },
    async close() {
      await browser.close();
      await server.close();
      await t.close();
    },
  };
}
