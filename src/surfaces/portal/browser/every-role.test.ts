/** Every page for every role: none breaks, and what somebody may not do says so, and who can change that. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { allowsInPerson, type RoleName, roleAllows, roleNames } from '../../../kernel/access/roles.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { createWorld, makeOne, type World } from '../../../laws/walk.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { isLong } from '../../../testing/long-form.ts';
import { createPerson, createSession, joinAccount } from '../../../testing/people.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { isPublicPage } from '../public-pages.ts';
import { nounsOf } from '../reference/nouns.ts';
import { dialogPages, nounShapes, productPages, signedInPages } from './page-list.ts';

const registry = buildRegistry(families);
const found = nounsOf(exampleDocument(registry));
const { whole } = nounShapes(found);
/** Pages that everybody may read are the same for all roles. */
const pages = [
  ...signedInPages.filter((path) => !isPublicPage(path.split('?')[0]!)),
  ...Object.values(dialogPages).flat(),
];
/** Each page is looked at with two roles; the long form looks with all of them. */
const pagesFor = (at: number): readonly string[] =>
  isLong ? pages : pages.filter((_, i) => (i + at) % 3 === 0);

const mayCall = (role: RoleName, id: string): boolean => {
  const { permission, sensitive = false } = registry.endpoints.find((each) => each.id === id)!;
  return roleAllows(role, permission, sensitive) || allowsInPerson(role, permission);
};

/** Who can change what is refused. */
const HELP = /owners? (or|and) admins?/;

describeInBrowser('every role', () => {
  let portal: BrowserPortal;
  let world: World;
  let id: string;
  const tabs = new Map<RoleName, Tab>();

  beforeAll(async () => {
    portal = await openPortal();
    world = await createWorld(portal.t);
    id = await makeOne(whole.create!.path, {}, world);
    const { db } = portal.t.services;
    for (const role of roleNames) {
      const person = await createPerson(db, { name: `The ${role}` });
      await joinAccount(db, person, world.account.id, role);
      tabs.set(role, await portal.tab({ token: await createSession(db, person) }));
    }
  });
  afterAll(() => portal.close());

  /** Refusals that name no way out. */
  const hopeless = async ({ page }: Tab): Promise<string[]> => {
    const refusals = await page.getByRole('alert').allTextContents();
    return refusals.filter((text) => /permission|may not/i.test(text) && !HELP.test(text));
  };

  it.each(roleNames.map((role, at) => [role, at] as const))('%s can open every page', async (role, at) => {
    const tab = tabs.get(role)!;
    const faults: string[] = [];
    for (const path of [
      ...pagesFor(at),
      ...productPages(found, (name) => (name === whole.name ? id : 'x')),
    ]) {
      await openWide(tab, path);
      const heading = await tab.page.locator('h1').first().textContent();
      if (/failed|does not answer/.test(heading ?? '')) faults.push(`${path}: ${heading}`);
      faults.push(...(await hopeless(tab)).map((text) => `${path}: ${text}`));
    }
    expect({ faults, complaints: tab.complaints }).toEqual({ faults: [], complaints: [] });
  });

  it.each(roleNames)(
    '%s can create what the role allows, and is told who can give the right to others',
    async (role) => {
      const tab = tabs.get(role)!;
      await openWide(tab, `/portal/p/${whole.family}/${whole.slug}`);
      const main = tab.page.getByRole('main');
      // What somebody may not do is a button that says why, and not a link.
      const [shown, missing] = mayCall(role, whole.create!.id)
        ? (['link', 'button'] as const)
        : (['button', 'link'] as const);
      const create = { name: /^Create / };
      await main.getByRole(shown, create).first().waitFor();
      expect(await main.getByRole(missing, create).count()).toBe(0);
      if (mayCall(role, whole.rows!.operation)) return;
      await main.getByRole('alert').filter({ hasText: HELP }).waitFor();
    },
  );
});
