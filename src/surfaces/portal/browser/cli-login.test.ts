/** The page that `hostplane login` opens, in a real browser. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect, openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { challengeFor } from '../../../testing/cli-login.ts';
import { createPerson, createSession, joinAccount } from '../../../testing/people.ts';

const VERIFIER = 'v'.repeat(43);
const STATE = 's'.repeat(43);

describeInBrowser('the login of a command line', () => {
  let portal: BrowserPortal;
  let tab: Tab;
  beforeAll(async () => {
    portal = await openPortal();
    const { db } = portal.t.services;
    const person = await createPerson(db);
    // The longest names, without a space at which a line could break.
    const names = ['W', 'M'].map((letter) => letter.repeat(100));
    for (const name of names) await joinAccount(db, person, (await createAccount(db, { name })).id, 'owner');
    tab = await portal.tab({ token: await createSession(db, person) });
  });
  afterAll(() => portal.close());

  const pageFor = (more: Record<string, string> = {}): string =>
    `/portal/cli-login?${new URLSearchParams({
      challenge: challengeFor(VERIFIER),
      computer: 'laptop',
      ...more,
    })}`;
  const allow = () => tab.page.getByRole('button', { name: 'Allow the login' }).click();
  const complete = async (code: string) => {
    const { origin } = portal;
    const answer = await fetch(`${origin}/portal/v1/cli-logins/complete`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ code, verifier: VERIFIER }),
    });
    return (await answer.json()) as { secret?: string; key?: { preset: string; expires_in: string } };
  };

  /** A command line that waits: resolves with the address that the browser opened. */
  async function listen() {
    let found: (url: URL) => void = () => undefined;
    const opened = new Promise<URL>((resolve) => {
      found = resolve;
    });
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://127.0.0.1');
      if (url.pathname === '/') found(url);
      response.end('<title>closed</title><p>You can close this window');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { port: String(port), opened, close: () => server.close() };
  }

  it('shows the longest names in quotation marks, fits into 320 px, and has no barriers', async () => {
    await openWide(tab, pageFor({ computer: 'M'.repeat(200) }));
    await tab.page.getByText(`“${'M'.repeat(64)}”`).waitFor();
    expect(await tab.page.getByLabel('Account').locator('option').count()).toBe(2);
    expect(await tab.page.getByLabel('Key Name').inputValue()).toBe(`cli-${'M'.repeat(52)}`);
    expect(await tab.page.getByLabel('Expires In').inputValue()).toBe('30d');
    await inspect(tab);
  });

  it('shows a hostile name of a computer as text', async () => {
    await openWide(tab, pageFor({ computer: '<img src=x onerror=alert(1)>\u202etxt\n' }));
    await tab.page.getByText('“<img src=x onerror=alert(1)>\\u202etxt”').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('gives the code to the command line that waits on this computer', async () => {
    const loopback = await listen();
    await openWide(tab, pageFor({ port: loopback.port, state: STATE }));
    await tab.page.getByText('Read only').click();
    await allow();
    const { searchParams } = await loopback.opened;
    expect(searchParams.get('state')).toBe(STATE);
    const made = await complete(searchParams.get('code') ?? '');
    expect(made.key).toEqual(expect.objectContaining({ preset: 'read-only', expires_in: '30d' }));
    await tab.page.getByText('You can close this window').waitFor();
    loopback.close();
  });

  it('shows the code if no command line waits on this computer, also after the button Back', async () => {
    const other = await portal.tab({ token: await tokenOf(tab) });
    const loopback = await listen();
    loopback.close();
    await openWide(other, pageFor({ port: loopback.port, state: STATE }));
    const left = other.page.waitForEvent('requestfailed');
    await other.page.getByRole('button', { name: 'Allow the login' }).click();
    expect((await left).url()).toContain(`http://127.0.0.1:${loopback.port}/?code=`);
    await expect.poll(() => other.page.url()).toMatch(/^chrome-error:/);
    await other.page.goBack();
    const code = (await other.page.locator('[data-secret]').textContent()) ?? '';
    expect((await complete(code)).secret).toMatch(/^hpk1_/);
    await other.close();
  });

  it('shows the code to paste if the command line has no browser, and has no barriers', async () => {
    const other = await portal.tab({ token: await tokenOf(tab) });
    await openWide(other, pageFor());
    await other.page.getByRole('button', { name: 'Allow the login' }).click();
    await other.page.getByText('Enter this code in your terminal').waitFor();
    const code = (await other.page.locator('[data-secret]').textContent()) ?? '';
    expect((await complete(code)).secret).toMatch(/^hpk1_/);
    await inspect(other);
    await other.close();
  });

  it.each(['80', '1023', '65536', '40000@evil.example', '40000/..'])(
    'sends no code to port %s',
    async (port) => {
      const other = await portal.tab({ token: await tokenOf(tab) });
      await openWide(other, pageFor({ port, state: STATE }));
      await other.page.getByRole('button', { name: 'Allow the login' }).click();
      await other.page.locator('[data-secret]').waitFor();
      expect(new URL(other.page.url()).origin).toBe(portal.origin);
      await other.close();
    },
  );

  it('tells the command line that the person refused', async () => {
    const other = await portal.tab({ token: await tokenOf(tab) });
    const loopback = await listen();
    await openWide(other, pageFor({ port: loopback.port, state: STATE }));
    await other.page.getByRole('button', { name: 'Refuse' }).click();
    expect((await loopback.opened).search).toBe(`?error=refused&state=${STATE}`);
    loopback.close();
    await other.close();
  });

  const tokenOf = async ({ context }: Tab): Promise<string> =>
    (await context.cookies()).find(({ name }) => name === 'hp_session')?.value ?? '';
});
