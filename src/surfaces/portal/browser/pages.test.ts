/** Every page in a real browser, in both themes and on a phone: no barriers, no complaints, nothing beside the screen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { goWide, inspect, openWide, settled } from '../../../testing/browser/inspect.ts';
import { stretchNames } from '../../../testing/browser/long-names.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount, seedTopics } from '../../../testing/browser/seed.ts';
import { isLong } from '../../../testing/long-form.ts';
import { createPerson, createSession, joinAccount } from '../../../testing/people.ts';
import { openPages, pagesOfOneThing, signedInPages } from './page-list.ts';

/** Of the pages that fail alike, the short form looks at one. */
const failing = isLong
  ? signedInPages.filter((path) => !/reference|no-such-page/.test(path))
  : ['/portal/api/keys'];

describeInBrowser('every page', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let topics: Awaited<ReturnType<typeof seedTopics>>;
  let tab: Tab;
  let stranger: Tab;
  let empty: Tab | undefined;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    topics = await seedTopics(portal.t, seeded);
    await stretchNames(portal.t, seeded);
    tab = await portal.tab({ token: seeded.token });
    stranger = await portal.tab();
  });

  afterAll(() => portal.close());

  /** A person who works in the account, or in none. */
  const newcomer = async (account: Parameters<typeof createAccount>[1] | null): Promise<Tab> => {
    const { db } = portal.t.services;
    const person = await createPerson(db, { name: 'New Person' });
    if (account !== null) await joinAccount(db, person, (await createAccount(db, account)).id, 'owner');
    return portal.tab({ token: await createSession(db, person) });
  };

  it.each(signedInPages)(
    '%s has no barriers in both themes, and fits into widths from 320 to 1440 px with the longest names',
    async (path) => {
      await goWide(tab, path);
      await inspect(tab);
    },
  );

  it.each(openPages)('%s has no barriers for people who are not signed in', async (path) => {
    await stranger.page.goto('about:blank');
    await openWide(stranger, path);
    await inspect(stranger);
  });

  it('shows itself to people who are not signed in, or asks them to sign in', async () => {
    const headings: (string | null)[] = [];
    for (const path of signedInPages) {
      await stranger.open(path);
      await settled(stranger.page);
      headings.push(await stranger.page.locator('h1').first().textContent());
    }
    expect(headings).toContain('Sign in');
    expect(headings).toContain('Download Spec');
    expect(headings).not.toContain('This page failed');
    expect(stranger.complaints).toEqual([]);
  });

  it.each([
    '/portal',
    '/portal/api/keys',
    '/portal/api/keys/allowlist',
    '/portal/api/keys/denials',
    '/portal/operations',
    '/portal/approvals',
    '/portal/usage',
    '/portal/budgets',
    '/portal/webhooks',
    '/portal/audit',
    '/portal/members',
    '/portal/me',
  ])('%s has no barriers when there is nothing to show', async (path) => {
    empty ??= await newcomer({ name: 'Empty' });
    await goWide(empty, path);
    await inspect(empty);
  });

  it.each(failing)('%s has no barriers when the server fails, and says what to do', async (path) => {
    const failed = await portal.tab({ token: seeded.token });
    for (const down of ['accounts/**', 'call/**', 'me/**'])
      await failed.page.route(`**/portal/v1/${down}`, (route) =>
        route.fulfill({ status: 503, body: 'down' }),
      );
    await failed.page.route('**/portal/api/operations*', (route) =>
      route.fulfill({ status: 503, body: 'down' }),
    );
    await openWide(failed, path);
    if (path === '/portal/api/keys') await failed.page.getByText('Try again in a minute.').waitFor();
    await inspect(failed);
    await failed.close();
  });

  it('of one thing has no barriers: an approval, what a key may call, a webhook, an operation', async () => {
    const { approvalId, webhookId, operationId } = topics;
    const keyId = seeded.keys['ci-production']!.id;
    for (const path of pagesOfOneThing(approvalId, keyId, webhookId, operationId)) {
      await goWide(tab, path);
      await inspect(tab);
    }
  });

  it('has no barriers for a person without an account, and says how to get one', async () => {
    const lonely = await newcomer(null);
    await openWide(lonely, '/portal');
    await lonely.page.getByText('You belong to no account at the moment').waitFor();
    await inspect(lonely);
    await openWide(lonely, '/portal/me/security');
    await lonely.page.getByRole('button', { name: 'Add a passkey' }).waitFor();
    await lonely.close();
  });

  it('has no barriers for a person whose account asks for a second factor, and says how to add one', async () => {
    const careless = await newcomer({ name: 'Careful', mfa_required: true });
    await openWide(careless, '/portal/api/keys');
    await careless.page.getByText('Careful asks everybody for a second factor').waitFor();
    await inspect(careless);
    await openWide(careless, '/portal/api/reference');
    await careless.page.getByRole('heading', { level: 1, name: /reference/i }).waitFor();
    await careless.close();
  });

  it('has no barriers in the explorer with an answer, and under the mouse', async () => {
    const { page } = tab;
    await openWide(tab, '/portal/api/explorer/getWhoami');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/^200/).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).hover();
    await inspect(tab);
  });

  it('has no barriers in the explorer with a refusal', async () => {
    const { page } = tab;
    await openWide(tab, '/portal/api/explorer/createPlacementGroup');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('422 Unprocessable').waitFor();
    await page.getByText('dry run: the real call would fail too').waitFor();
    await inspect(tab);
  });

  it.each(['#767676', '#001040', '#c2410c'])(
    'can be read in the accent %s of a provider, also under the mouse',
    async (accent) => {
      const other = await portal.tab({ token: seeded.token });
      await other.page.route('**/portal/v1/site', async (route) => {
        const answer = await route.fetch();
        const site = (await answer.json()) as { provider: object };
        await route.fulfill({ json: { ...site, provider: { ...site.provider, accent } } });
      });
      await openWide(other, '/portal/members');
      await other.page.getByRole('button', { name: 'Invite' }).hover();
      await inspect(other);
      await other.close();
    },
  );

  it('has no barriers in its menus and in the search', async () => {
    await openWide(tab, '/portal/api/keys');
    await tab.page.getByRole('button', { name: 'Acts for ci-production' }).click();
    await inspect(tab);
    await tab.page.keyboard.press('Escape');
    await tab.page.keyboard.press('Control+k');
    await tab.page.getByRole('combobox', { name: 'Search or jump to' }).fill('snapshot');
    await inspect(tab);
    expect(tab.complaints).toEqual([]);
  });
});
