/** Every type of resource in the browser: made from its own form, changed, and deleted, by a person. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spoken } from '../../../../portal/src/data/words.ts';
import { describe as describeCall } from '../../../../portal/src/form/document.ts';
import { membersOf, requiredOf } from '../../../../portal/src/form/when.ts';
import { families } from '../../../families/index.ts';
import type { Endpoint } from '../../../kernel/record.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { exemptFrom } from '../../../laws/exemptions.ts';
import { secondValues } from '../../../laws/second-values.ts';
import {
  bodyOf,
  createWorld,
  makeOne,
  type Params,
  paramsFor,
  payloadOf,
  urlOf,
  type World,
} from '../../../laws/walk.ts';
import { freshName } from '../../../laws/world.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { fieldNamed, fillForm, neededOf } from '../../../testing/browser/fill-form.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { settle } from '../../../testing/operations.ts';
import { workshop } from '../../../testing/widgets.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { type Noun, type NounCall, nounsOf } from '../reference/nouns.ts';

type Row = Readonly<Record<string, unknown>>;

const registry = buildRegistry([...families, workshop]);
const document = exampleDocument(registry);
const all = nounsOf(document).flatMap(({ nouns }) => nouns);
const only = all.filter(({ isOnly }) => isOnly);
const made = all.filter(
  ({ create, declare, isOnly }) => create !== undefined || (declare !== undefined && !isOnly),
);
/** Their forms have nothing to pick from, so a fixture makes one. */
const exempt = exemptFrom('formsFilled');
const describedBy = (id: string) => describeCall(document as never, id)!;
const endpointOf = ({ id }: Pick<NounCall, 'id'>) =>
  registry.endpoints.find((endpoint) => endpoint.id === id)!;

const parentOf = ({ parent }: Noun): Noun | undefined => all.find(({ name }) => name === parent?.noun);
const pageOf = ({ family, slug }: Noun): string => `/portal/p/${family}/${slug}`;

/** Where the rows of a noun are shown: a page of its own, or a tab of the page of what it is a part of. */
function listPage(noun: Noun, params: Params): string {
  const parent = parentOf(noun);
  const id = params[noun.parent?.parameter ?? ''] ?? '';
  return parent === undefined ? pageOf(noun) : `${pageOf(parent)}/${id}?tab=${noun.slug}`;
}

const newPage = (noun: Noun, params: Params): string => {
  const parent = parentOf(noun);
  const id = params[noun.parent?.parameter ?? ''] ?? '';
  return parent === undefined ? `${pageOf(noun)}/new` : `${pageOf(parent)}/${id}/${noun.slug}/new`;
};

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 60_000 };

const isDryRun = (url: string): boolean => url.includes('dry_run');

const nameIn = (row: Row): string => String(row['name'] ?? row['address'] ?? row['slug'] ?? row['id'] ?? '');

describeInBrowser('in the browser, a person', () => {
  let portal: BrowserPortal;
  let world: World;
  let tab: Tab;
  let page: Page;
  let main: Locator;

  beforeAll(async () => {
    portal = await openPortal();
    world = await createWorld(portal.t);
    tab = await portal.memberTab(world.account.id, 'owner', { name: 'Ada Lovelace' });
    ({ page } = tab);
    main = page.getByRole('main');
    // A form that cannot be filled should say so before the test gives up.
    page.setDefaultTimeout(PATIENCE.timeout);
  });

  afterAll(() => portal.close());

  /** Presses the button, and returns the answer to the call that it makes. */
  async function press(button: Locator, { method, path }: NounCall): Promise<Row> {
    const route = new RegExp(`${path.replaceAll(/\{\w+\}/g, '[^/?]+')}($|\\?)`);
    await expect.poll(() => button.getAttribute('aria-disabled'), PATIENCE).toBe(null);
    const answering = page.waitForResponse(
      (response) =>
        response.request().method() === method && route.test(response.url()) && !isDryRun(response.url()),
    );
    const [answer] = await Promise.all([answering, button.click()]);
    const text = await answer.text();
    expect(answer.status(), text).toBeLessThan(300);
    return text === '' ? {} : (JSON.parse(text) as Row);
  }

  /** Secrets are shown once, in a dialog that only its own button closes. */
  async function leaveSecrets(): Promise<void> {
    const kept = page.getByRole('button', { name: 'I have kept it' });
    const dialog = page.getByRole('dialog');
    await expect
      .poll(async () => (await kept.count()) > 0 || (await dialog.count()) === 0, PATIENCE)
      .toBe(true);
    if ((await kept.count()) > 0) await kept.click();
    await expect.poll(() => dialog.count(), PATIENCE).toBe(0);
  }

  /**
   * Fills what is required; what the dry run then asks for is filled, too. A page that is made by hand may have other
   * fields, and then has to begin with choices of its own that are enough.
   */
  async function fillIn(
    form: Locator,
    call: NounCall,
    payload: Row,
    asked: readonly string[],
  ): Promise<void> {
    const { body, resolve } = describedBy(call.id);
    if (body === null) return;
    const [required] = requiredOf(body);
    const submit = form.locator('[type=submit]');
    const field = fieldNamed(form, required ?? '', body, resolve);
    const isReady = async (): Promise<boolean> => (await submit.getAttribute('aria-disabled')) === null;
    await expect.poll(async () => (await isReady()) || (await field.count()) > 0, PATIENCE).toBe(true);
    if (asked.length === 0 && (await isReady())) return;
    const first = neededOf(body, payload, resolve, asked) as Row;
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('dry_run')),
      fillForm(form, body, first, resolve),
    ]);
    expect(answer.ok()).toBe(true);
    const { errors = [] } = (await answer.json()) as { errors?: { pointer: string }[] };
    const names = errors.map(({ pointer }) => pointer.split('/')[1] ?? '');
    const more = Object.entries(payload).filter(([name]) => names.includes(name) && !(name in first));
    await fillForm(form, body, Object.fromEntries(more), resolve);
  }

  async function create(noun: Noun, params: Params, payload: Row, asked: readonly string[]): Promise<Row> {
    const call = (noun.create ?? noun.declare)!;
    await main
      .locator(`a[href="${newPage(noun, params)}"]`)
      .first()
      .click();
    const form = main.locator('form');
    const submit = form.locator('[type=submit]');
    await submit.waitFor();
    if (noun.create === undefined) {
      const isNamed = noun.key === 'name';
      const value = isNamed ? freshName() : await makeOne(call.path.replace(/\/\{\w+\}$/, ''), params, world);
      const label = isNamed ? 'Name' : spoken(noun.key);
      await form.getByLabel(label, { exact: true }).first().fill(value);
    }
    await fillIn(form, call, payload, asked);
    const price = form.getByRole('complementary', { name: 'Summary' }).getByText(/a month|stays as it is/);
    await price.waitFor();
    const sending = page.waitForRequest((each) => each.method() === call.method && !isDryRun(each.url()));
    const row = await press(submit, call);
    await leaveSecrets();
    await page.waitForURL((url) => !url.pathname.endsWith('/new'));
    if (noun.key in row) return row;
    // The call answers with what the new one is part of, and its body names it.
    await settle(portal.t);
    const sent = (await sending).postDataJSON() as Row;
    return (await rowOf(noun, params, sent[noun.key])) ?? {};
  }

  /** The operations end, and the page says so without being loaded again. */
  async function steady(shown: Locator): Promise<void> {
    await settle(portal.t);
    await shown.first().waitFor();
    await expect.poll(() => shown.getByRole('progressbar').count(), PATIENCE).toBe(0);
    expect(await main.getByText('The last change failed').count()).toBe(0);
  }

  const openMenu = (shown: Locator): Promise<void> =>
    shown.getByRole('button', { name: /^Acts on / }).click();

  /** Changes what most resources have, a description or a label, or else something that has a second value. */
  async function change(noun: Noun, shown: Locator, params: Params, row: Row): Promise<void> {
    const call = (noun.update ?? noun.declare)!;
    const { body, resolve } = describedBy(call.id);
    const members = membersOf(body!);
    const known = Object.keys(members).find((name) => `${noun.name}.${name}` in secondValues) ?? '';
    const other: Row =
      'description' in members
        ? { description: 'Changed by a person' }
        : 'labels' in members
          ? { labels: { changed: 'by-a-person' } }
          : { [known]: secondValues[`${noun.name}.${known}`] };
    const button = shown.getByRole('button', { name: 'Change', exact: true });
    if ((await button.count()) === 0) {
      await openMenu(shown);
      await page.getByRole('menuitem', { name: /^Change/ }).click();
    } else await button.click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[type=submit]').waitFor();
    await fillForm(dialog, body!, other, resolve);
    await press(dialog.locator('[type=submit]'), call);
    await leaveSecrets();
    await settle(portal.t);
    expect(await rowOf(noun, params, row[noun.key])).toMatchObject(other);
    if (noun.read === undefined) return;
    await main
      .getByText(/Changed by a person|changed=by-a-person/)
      .first()
      .waitFor();
  }

  /** Does something else with it that its state allows, and that needs nothing but what is required. */
  async function act(noun: Noun, shown: Locator): Promise<void> {
    const call = noun.actions.find(({ access, choice }) => access !== 'destructive' && choice === undefined);
    if (call === undefined) return;
    await openMenu(shown);
    const at = noun.actions.indexOf(call);
    await page.getByRole('menuitem').nth(at).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.locator('[type=submit]');
    await submit.waitFor();
    await fillIn(dialog, call, (endpointOf(call).example.body ?? {}) as Row, []);
    await press(submit, call);
    await leaveSecrets();
  }

  async function remove(noun: Noun, shown: Locator, name: string): Promise<void> {
    await openMenu(shown);
    await page.getByRole('menuitem').last().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'What this does' }).waitFor();
    const confirm = dialog.getByLabel(`Type ${name} to confirm`);
    if ((await confirm.count()) > 0) await confirm.fill(name);
    await press(dialog.locator('[type=submit]'), noun.delete!);
    await leaveSecrets();
    await settle(portal.t);
  }

  /** What the API says about it now. */
  async function rowOf({ rows, key }: Noun, params: Params, name: unknown): Promise<Row | undefined> {
    if (rows === undefined) throw new Error('It can be made, but nothing lists it.');
    const url = urlOf(endpointOf({ id: rows.operation }), params);
    const answer = await portal.t.call({ method: 'GET', url, key: world.key.key });
    const listed = answer.json<Readonly<Record<string, readonly Row[]>>>()[rows.in.slice(1)];
    return listed?.find((row) => row[key] === name);
  }

  it.each(made.map((noun) => [noun.name, noun] as const))(
    'makes, changes and deletes: %s',
    async (_, noun) => {
      const call = (noun.create ?? noun.declare)!;
      const path = noun.create === undefined ? call.path.replace(/\/\{\w+\}$/, '') : call.path;
      const params = await paramsFor({ path: path as Endpoint['path'] }, world);
      const endpoint = endpointOf(call);
      const { payload = {} } = await payloadOf(endpoint, world, params);
      const usual = (bodyOf(endpoint) ?? {}) as Row;
      const asked = Object.keys(payload).filter((name) => !(name in usual));
      await tab.open(listPage(noun, params));
      await settled(page);
      const row = exempt.includes(call.id)
        ? ((await rowOf(noun, params, await makeOne(path, params, world))) ?? {})
        : await create(noun, params, payload as Row, asked);
      if (exempt.includes(call.id)) await tab.open(listPage(noun, params));
      const name = nameIn(row);
      const inList = main.getByRole('row').filter({ hasText: name });
      const shown = noun.read === undefined ? inList : main;
      if (noun.read !== undefined) await main.getByRole('heading', { level: 1, name }).waitFor();
      await steady(shown);
      if (noun.update !== undefined || (noun.create === undefined && noun.declare !== undefined))
        await change(noun, shown, params, row);
      else await act(noun, shown);
      if (noun.delete !== undefined) {
        await remove(noun, shown, name);
        if (noun.read !== undefined && row['operation'] != null)
          await main.getByRole('heading', { name: /is not there$/ }).waitFor();
        await tab.open(listPage(noun, params));
        await settled(page);
      } else await tab.open(listPage(noun, params));
      await settled(page);
      expect(await inList.count()).toBe(noun.delete === undefined ? 1 : 0);
      expect(tab.complaints).toEqual([]);
      // Nothing that was typed into a form is reported as an error. The page of a deleted resource asks for it once.
      const refused = tab.refused.splice(0);
      expect(refused.filter((address) => !address.endsWith(`/${row[noun.key]}`))).toEqual([]);
      expect(refused.length).toBeLessThanOrEqual(noun.delete === undefined ? 0 : 1);
    },
  );

  it.each(only.map((noun) => [noun.name, noun] as const))(
    'changes what there is only once: %s',
    async (_, noun) => {
      const call = noun.declare!;
      const params = await paramsFor({ path: call.path as Endpoint['path'] }, world);
      const { body, resolve } = describedBy(call.id);
      const values = (endpointOf(call).example.body ?? {}) as Row;
      await tab.open(listPage(noun, params));
      await main.getByRole('button', { name: 'Change', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('[type=submit]').waitFor();
      await fillForm(dialog, body!, values, resolve);
      expect(await press(dialog.locator('[type=submit]'), call)).toMatchObject(values);
      await expect.poll(() => dialog.count(), PATIENCE).toBe(0);
      // Each text of a list stands alone.
      const [text] = Object.values(values).flat();
      if (typeof text === 'string') await main.getByText(text, { exact: true }).waitFor();
      const url = urlOf(endpointOf(noun.read!), params);
      const answer = await portal.t.call({ method: 'GET', url, key: world.key.key });
      expect(answer.json()).toMatchObject(values);
      await tab.open(newPage(noun, params));
      await main.getByRole('heading', { name: 'There is no such product page' }).waitFor();
      expect(tab.complaints).toEqual([]);
    },
  );
});
