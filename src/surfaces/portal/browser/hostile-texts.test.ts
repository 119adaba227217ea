/**
 * Every text that customers can write, in any act and in the body of any endpoint, is written with hostile content. Each
 * is refused, or the pages of the portal show it as text.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../kernel/record.ts';
import type { TSchema } from '../../../kernel/schema.ts';
import { isValid } from '../../../kernel/validation.ts';
import { actFixtures } from '../../../laws/act-fixtures.ts';
import { bodyOf, urlOf } from '../../../laws/walk.ts';
import { createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import type { JsonSchema } from '../../../testing/arbitrary.ts';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { Browser, createSession, mailedToken } from '../../../testing/people.ts';
import { type Act, isRead } from '../act.ts';
import { acts } from '../acts/index.ts';
import { signedInPages } from './page-list.ts';

const title = 'hostile texts';
const TURNED = '\u202e';

/** Each is short enough for names of 64 characters. */
const hostile = [
  '<img src=x onerror=alert(1)>"><svg onload=alert(2)>',
  '</script><script>alert(3)</script>javascript:alert(4)',
  "'{{7*7}}#{7*7}<%= 7*7 %>",
  `a${TURNED}gpj.exe`,
];

/** The texts of one place all contain its number, by which the pages that show it are found. */
const textOf = (place: number, which: string): string => `${which} t${place}.`;

/** The members of an object that accept hostile text. Secrets are never shown. */
function textMembers(schema: TSchema): string[] {
  const { properties = {} } = schema as JsonSchema;
  return Object.entries(properties)
    .filter(([name, member]) => !/password|token|code|challenge/.test(name) && !('x-secret' in member))
    .filter(([, member]) => isValid(member as TSchema, textOf(999, hostile[0]!)))
    .map(([name]) => name);
}

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
  let portal: BrowserPortal;
  let account: TestAccount;
  let asking: TestKey;
  let browser: Browser;
  let personId: string;
  /** What was stored, by the number in the text. */
  const stored = new Map<number, string>();
  const pages = new Set(signedInPages);
  let places = 0;

  const keep = (names: readonly string[], what: string) => {
    const place = ++places;
    const texts = (which: string) => Object.fromEntries(names.map((name) => [name, textOf(place, which)]));
    return { texts, succeeded: () => stored.set(place, what) };
  };

  async function write(act: Act): Promise<void> {
    const names = textMembers(act.input);
    const prepare = actFixtures[act.id];
    if (names.length === 0 || prepare === undefined) return;
    for (const which of hostile) {
      const acting = { app: portal.t, account, personId, memberId: account.ownerId, browser };
      const { params = {}, input } = await prepare(acting);
      const { texts, succeeded } = keep(names, act.id);
      const path = act.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'account_id' ? account.id : (params[name] ?? ''),
      );
      // A member that names something, such as an address, refuses such a text; the others are written all the same.
      const refused = new Set<string>();
      for (;;) {
        const written = Object.entries(texts(which)).filter(([name]) => !refused.has(name));
        if (written.length === 0) break;
        const answer = await browser.send(act.method, path, { ...input, ...Object.fromEntries(written) });
        if (answer.statusCode < 300) {
          succeeded();
          if ('key_id' in params) pages.add(`/portal/api/keys?all=yes&key=${params['key_id']}`);
          if ('operation_id' in params) pages.add(`/portal/approvals/${params['operation_id']}`);
          const made = answer.json<{ key?: { id: string } }>().key;
          if (made !== undefined) pages.add(`/portal/api/keys?key=${made.id}`);
          break;
        }
        const { errors = [] } = answer.json<{ errors?: { pointer: string }[] }>();
        const more = errors.map(({ pointer }) => pointer.slice(1)).filter((name) => !refused.has(name));
        expect([act.id, which, answer.statusCode, more.length > 0]).toEqual([act.id, which, 422, true]);
        for (const name of more) refused.add(name);
      }
    }
  }

  async function ask(endpoint: Endpoint): Promise<void> {
    const names = endpoint.body === undefined ? [] : textMembers(endpoint.body);
    if (names.length === 0) return;
    const which = hostile.join(' ');
    const { texts, succeeded } = keep(names, endpoint.id);
    const body = bodyOf(endpoint) as object;
    const url = urlOf(endpoint, endpoint.example.params as Record<string, string> | undefined);
    const sent = { method: endpoint.method, url, payload: { ...body, ...texts(which) } };
    const answer = await portal.t.call({ ...sent, key: asking.key, headers: { 'user-agent': hostile[0]! } });
    const { operation_id } = answer.json<{ operation_id?: string }>();
    if (operation_id === undefined) return;
    succeeded();
    pages.add(`/portal/approvals/${operation_id}`);
  }

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    const { db } = portal.t.services;
    browser = new Browser(portal.t);
    const names = keep(['name', 'account_name'], 'signUp');
    const email = 'hostile@example.com';
    const { statusCode, body } = await browser.post('/sign-up', {
      ...names.texts(hostile[0]!),
      email,
      password: 'a long pass phrase of mine',
      country: 'DE',
      terms_accepted: true,
    });
    expect([statusCode, body]).toEqual([202, body]);
    names.succeeded();
    const token = await mailedToken(db, email, 'verify_email');
    expect((await browser.post('/verify', { token })).statusCode).toBe(200);
    const member = await db
      .selectFrom('members')
      .select(['id', 'account_id', 'person_id'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    account = { id: member.account_id, ownerId: member.id };
    personId = member.person_id ?? '';
    await db
      .insertInto('account_products')
      .values({ account_id: account.id, family: 'workshop', enabled: true })
      .execute();
    browser.token = await createSession(db, { id: personId });
    asking = await createKey(db, account, { approval: 'writes' });
  });

  afterAll(() => portal.close());

  const look = async ({ page }: Tab): Promise<string> => {
    await expect.poll(() => page.locator('[aria-label=Loading]').count()).toBe(0);
    return page.evaluate<string>(
      'document.body.innerText + [...document.querySelectorAll("input, textarea, option")].map((e) => " " + (e.value ?? "") + e.textContent).join("")',
    );
  };

  const made = (page: Page): Promise<string[]> =>
    page.evaluate(
      '[...document.querySelectorAll("img[src=x], [onerror], [onload], svg:not([viewBox]), a[href^=javascript]")].map((e) => e.outerHTML)',
    );

  it('are shown as text on every page, and nothing is made of them', async () => {
    for (const act of acts.filter((each) => !isRead(each))) await write(act);
    for (const endpoint of portal.t.registry.endpoints) await ask(endpoint);
    expect(new Set(stored.values()).size).toBeGreaterThan(9);

    const tab = await portal.tab({ token: await createSession(portal.t.services.db, { id: personId }) });
    const dialogs: string[] = [];
    tab.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const shown = new Set<number>();
    for (const path of pages) {
      await tab.open(path);
      const text = await look(tab);
      for (const [, place] of text.matchAll(/ t(\d+)\./g)) shown.add(Number(place));
      expect([path, await made(tab.page), tab.complaints, dialogs, text.includes(TURNED)]).toEqual([
        path,
        [],
        [],
        [],
        false,
      ]);
    }
    await tab.close();
    const seen = new Set([...shown].map((place) => stored.get(place)));
    expect([...new Set(stored.values())].filter((what) => !seen.has(what))).toEqual([]);
  });
});
