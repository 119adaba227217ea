/**
 * Every text that customers can write, in any act and in the body or query of any endpoint, is written with hostile
 * content. Each is refused, or the pages of the portal show it as text.
 */
import type { LightMyRequestResponse } from 'fastify';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Endpoint, isWrite } from '../../../kernel/record.ts';
import { Shape } from '../../../kernel/schema.ts';
import { actFixtures } from '../../../laws/act-fixtures.ts';
import { requestTo, urlOf, type World } from '../../../laws/walk.ts';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import {
  hostile,
  type Place,
  placesFor,
  placesLeft,
  spoil,
  TURNING,
} from '../../../testing/browser/hostile.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { CLI_VERIFIER } from '../../../testing/cli-login.ts';
import { Browser, createSession, mailedToken, PASSWORD } from '../../../testing/people.ts';
import { type Act, isRead } from '../act.ts';
import { acts } from '../acts/index.ts';
import { dialogPages, signedInPages } from './page-list.ts';

const EMAIL = 'hostile@example.com';
const [TAGS = ''] = hostile;

interface Stored {
  readonly what: string;
  readonly text: string;
}

describeInBrowser('hostile texts', () => {
  let portal: BrowserPortal;
  let world: World;
  let asking: TestKey;
  let browser: Browser;
  let personId: string;
  let joinToken: string | null;
  /** By the number in the text, by which the pages that show it are found. */
  const stored = new Map<number, Stored>();
  /** Without those that show only the API. */
  const pages = new Set(
    [...signedInPages, ...Object.values(dialogPages).flat()].filter(
      (path) => !/\/api\/(endpoints|reference|spec|json|examples)/.test(path),
    ),
  );
  let numbers = 0;

  /** Calls `send` until nothing hostile in the request is refused, and remembers what was accepted. */
  async function write(
    what: string,
    which: string,
    all: readonly Place[],
    send: (spoilt: (body: object) => object) => Promise<LightMyRequestResponse>,
    isAccepted = ({ statusCode }: LightMyRequestResponse): boolean => statusCode < 300,
    pointerOf = (pointer: string): string => pointer,
  ): Promise<LightMyRequestResponse | undefined> {
    let left = all.map((place) => ({ ...place, isAddress: false }));
    while (left.length > 0) {
      const texts = new Map<Place, Stored & { readonly number: number }>(
        left.map((place) => {
          const number = ++numbers;
          const text = `${which} t${number}.`;
          return [
            place,
            {
              number,
              what: `${what} ${place.at.join('/')}`,
              text: place.isAddress ? `https://hostile.example/${text}` : text,
            },
          ];
        }),
      );
      const answer = await send((body) => spoil(body, left, (place) => texts.get(place)?.text ?? ''));
      if (isAccepted(answer)) {
        for (const { number, ...written } of texts.values()) stored.set(number, written);
        return answer;
      }
      const { errors = [] } = answer.json<{ errors?: { pointer: string }[] }>();
      const good = new Set<Place>(
        placesLeft(
          left,
          errors.map(({ pointer }) => pointerOf(pointer)),
        ),
      );
      // A refusal that names no place, such as "there is no such image", is one of the whole request.
      if (good.size === left.length) return undefined;
      // What is refused as text may be accepted as an address.
      left = left
        .filter((place) => good.has(place) || !place.isAddress)
        .map((place) => (good.has(place) ? place : { ...place, isAddress: true }));
    }
    return undefined;
  }

  /** The key that an act made, or that a command line gets with the code that an act gave. */
  async function keyIn(answer: LightMyRequestResponse): Promise<{ key?: { id: string }; secret?: string }> {
    const { code, ...given } = answer.json<{ code?: string; key?: { id: string }; secret?: string }>();
    if (code === undefined) return given;
    const exchange = { code, verifier: CLI_VERIFIER };
    return (await new Browser(portal.t).post('/cli-logins/complete', exchange)).json();
  }

  const forget = (what: string): void => {
    for (const [number, { what: own }] of stored) if (own === what) stored.delete(number);
  };

  async function act(record: Act): Promise<void> {
    const prepare = actFixtures[record.id];
    if (prepare === undefined) return;
    for (const which of hostile) {
      const places = placesFor(record.input, `${which} t999.`);
      if (places.length === 0) continue;
      const acting = { ...world, personId, memberId: world.account.ownerId, browser };
      const { params = {}, input } = await prepare(acting);
      const path = record.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'account_id' ? world.account.id : (params[name] ?? ''),
      );
      const answer = await write(record.id, which, places, (spoilt) =>
        browser.send(record.method, path, spoilt(input ?? {})),
      );
      if (answer === undefined) continue;
      // The name from sign-up is another one now.
      if (record.id === 'changeAccountProfile') forget('signUp account_name');
      if ('key_id' in params) pages.add(`/portal/api/keys?status=all&key=${params['key_id']}`);
      if ('operation_id' in params) pages.add(`/portal/approvals/${params['operation_id']}`);
      const { key, secret } = await keyIn(answer);
      if (key !== undefined) pages.add(`/portal/api/keys?key=${key.id}`);
      // Calls with the new key make its name appear among the denials, and its user agent in its details.
      const headers = { 'user-agent': `${TAGS} t${++numbers}.` };
      if (secret === undefined) continue;
      await portal.t.call({ url: '/account/v1/profile', key: secret, headers });
      await portal.t.call({ method: 'DELETE', url: '/flexible-vps/v1/vms/vm_x', key: secret, headers });
    }
  }

  /** A key asks, so that approvals show the call; another key makes it, so that lists and logs show it. */
  async function call(endpoint: Endpoint): Promise<void> {
    const schema = Shape({
      ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
      ...(endpoint.query === undefined ? {} : { query: endpoint.query }),
    });
    const turning = `${TURNING}${TAGS}`;
    if (placesFor(schema, `${turning} t999.`).length === 0) return;
    const { url, payload, method } = await requestTo(endpoint, world);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const request = { body: payload as object, query: Object.fromEntries(searchParams) };
    const operationOf = (answer: LightMyRequestResponse): string | undefined =>
      answer.statusCode === 409 ? answer.json<{ operation_id?: string }>().operation_id : undefined;
    for (const key of [asking, world.key]) {
      const answer = await write(
        endpoint.id,
        turning,
        placesFor(schema, `${turning} t999.`),
        (spoilt) => {
          const { body, query } = spoilt(request) as typeof request;
          const search = new URLSearchParams(query as Record<string, string>);
          const sent = { method, url: `${pathname}?${search}`, key: key.key };
          return portal.t.call(body === undefined ? sent : { ...sent, payload: body });
        },
        (each) => each.statusCode < 300 || operationOf(each) !== undefined,
        (pointer) => (pointer.startsWith('/') ? `/body${pointer}` : `/${pointer}`),
      );
      const operation = answer && operationOf(answer);
      if (operation !== undefined) pages.add(`/portal/approvals/${operation}`);
      const made = answer !== undefined && answer.statusCode < 300 ? answer.json<{ id?: string }>().id : '';
      if (made?.startsWith('key_')) pages.add(`/portal/api/keys?status=all&key=${made}`);
    }
  }

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    const { db } = portal.t.services;
    browser = new Browser(portal.t);
    const signUp = { email: EMAIL, password: PASSWORD, country: 'DE', terms_accepted: true };
    const record = acts.find(({ id }) => id === 'signUp')!;
    await write('signUp', TAGS, placesFor(record.input, `${TAGS} t999.`), (spoilt) =>
      browser.post('/sign-up', spoilt(signUp)),
    );
    await browser.post('/verify', { token: await mailedToken(db, EMAIL, 'verify_email') });
    const member = await db
      .selectFrom('members')
      .select(['id', 'account_id', 'person_id'])
      .where('email', '=', EMAIL)
      .executeTakeFirstOrThrow();
    personId = member.person_id ?? '';
    const account = { id: member.account_id, ownerId: member.id };
    for (const family of ['workshop'])
      await db
        .insertInto('account_products')
        .values({ account_id: account.id, family, enabled: true })
        .execute();
    world = { app: portal.t, account, key: await createKey(db, account) };
    asking = await createKey(db, account, { approval: 'writes' });
    browser.token = await createSession(db, { id: personId });
  });

  afterAll(() => portal.close());

  /** A colleague with a hostile name, and an invitation that nobody has answered. */
  async function invite(): Promise<void> {
    const { db } = portal.t.services;
    const path = `/accounts/${world.account.id}/invitations`;
    for (const email of ['colleague@example.com', 'open@example.com'])
      await browser.post(path, { email, role: 'viewer' });
    const accept = acts.find(({ id }) => id === 'acceptInvitation')!;
    const token = await mailedToken(db, 'colleague@example.com', 'invitation');
    await write('acceptInvitation', TAGS, placesFor(accept.input, `${TAGS} t999.`), (spoilt) =>
      new Browser(portal.t).post('/invitations/accept', spoilt({ token, password: PASSWORD })),
    );
    joinToken = await mailedToken(db, 'open@example.com', 'invitation');
  }

  /** A browser that lies about its name. */
  async function liveSessions(): Promise<void> {
    const { db } = portal.t.services;
    const number = ++numbers;
    const text = `${TAGS} t${number}.`;
    await createSession(db, { id: personId });
    await db.updateTable('sessions').set({ user_agent: text }).where('person_id', '=', personId).execute();
    stored.set(number, { what: 'user agent of a session', text });
  }

  const textOf = async ({ page }: Tab): Promise<string> => {
    await settled(page);
    return page.evaluate<string>(
      'document.body.innerText + [...document.querySelectorAll("input, textarea, option")].map((e) => " " + (e.value ?? "") + e.textContent).join("")',
    );
  };

  const made = (page: Page): Promise<string[]> =>
    page.evaluate(
      '[...document.querySelectorAll("img[src=x], [onerror], [onload], svg:not([viewBox]), a[href^=javascript]")].map((e) => e.outerHTML)',
    );

  /** The ways in which a page may show the text: as it is, or as JSON with turning characters by their code. */
  const literally = (text: string): string[] =>
    [text, JSON.stringify(text).slice(1, -1)].map((form) =>
      form.replaceAll(TURNING, '\\u202e').replaceAll(/\s+/g, ' '),
    );

  beforeAll(async () => {
    const { services, registry } = portal.t;
    await invite();
    for (const record of acts.filter((each) => !isRead(each))) await act(record);
    await liveSessions();
    for (const endpoint of registry.endpoints.filter(isWrite)) await call(endpoint);
    await Promise.all([services.audit.flush(), services.denials.flush(), services.activity.flush()]);
  });

  // It opens some sixty pages.
  it('are shown as text on every page, and nothing is made of them', { timeout: 400_000 }, async () => {
    const { services, registry } = portal.t;
    const tab = await portal.tab({ token: await createSession(services.db, { id: personId }) });
    const dialogs: string[] = [];
    tab.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const shown = new Set<number>();
    const faults: object[] = [];
    const look = async (where: string): Promise<void> => {
      const text = (await textOf(tab)).replaceAll(/\s+/g, ' ');
      const found = [...text.matchAll(/ t(\d+)\./g)].map(([, number]) => Number(number));
      const changed = [...new Set(found)].filter((number) => {
        const known = stored.get(number)?.text;
        return known !== undefined && !literally(known).some((form) => text.includes(form));
      });
      for (const number of found) shown.add(number);
      const fault = {
        where,
        changed: changed.map((number) => stored.get(number)),
        made: await made(tab.page),
        complaints: tab.complaints.splice(0),
        dialogs: dialogs.splice(0),
        turned: text.includes(TURNING) ? [TURNING] : [],
      };
      if (Object.values(fault).some((found) => Array.isArray(found) && found.length > 0)) faults.push(fault);
    };

    for (const path of pages) {
      await tab.open(path);
      await look(path);
    }
    await tab.page.keyboard.press('Control+k');
    await tab.page.getByRole('combobox').fill('img');
    await look('the search');
    await tab.open(`/portal/join#${joinToken}`);
    await look('the invitation');
    for (const list of registry.endpoints) {
      if (list.method !== 'GET' || list.path.includes('{') || list.waits === true) continue;
      const answer = await portal.t.call({ url: urlOf(list), key: world.key.key });
      if (!/ t\d+\./.test(answer.body)) continue;
      await tab.open(`/portal/api/explorer/${list.id}`);
      await tab.page.getByRole('button', { name: 'Send', exact: true }).click();
      await tab.page.getByRole('region', { name: 'Answer' }).waitFor();
      await look(`the answer of ${list.id}`);
    }
    await tab.close();
    expect(faults).toEqual([]);
    const written = new Set([...stored.values()].map(({ what }) => what));
    const seen = new Set([...shown].map((number) => stored.get(number)?.what));
    expect([...written].filter((what) => !seen.has(what))).toEqual([]);
    expect(written.size).toBeGreaterThan(30);
  });
});
