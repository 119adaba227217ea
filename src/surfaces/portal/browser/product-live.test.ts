/** Lists of products change while people look at them, and nothing moves away under their pointer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { seedAccount } from '../../../testing/browser/seed.ts';

const title = 'lists of products';
const LIST = '/flexible-vps/v1/placement-groups';

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
  let portal: BrowserPortal;
  let tab: Tab;
  let key: TestKey;

  beforeAll(async () => {
    portal = await openPortal();
    const seeded = await seedAccount(portal.t);
    tab = await portal.tab({ token: seeded.token });
    key = await createKey(portal.t.services.db, seeded.account, { name: 'elsewhere' });
  });
  afterAll(() => portal.close());

  const make = async (name: string): Promise<string> => {
    const payload = { name, policy: 'spread', location: 'fra1' };
    const made = await portal.t.call({ method: 'POST', url: LIST, key: key.key, payload });
    expect(made.statusCode).toBe(201);
    return made.json<{ id: string }>().id;
  };
  const remove = async (id: string): Promise<void> => {
    const gone = await portal.t.call({ method: 'DELETE', url: `${LIST}/${id}`, key: key.key });
    expect(gone.statusCode).toBe(204);
  };

  it('show what was created and deleted elsewhere, without reloading', async () => {
    const { page, open, complaints } = tab;
    await make('first');
    await open('/portal/p/flexible-vps/placement-groups');
    await settled(page);
    await page.mouse.move(5, 5);
    const second = await make('second');
    await page.getByRole('link', { name: 'second' }).waitFor();
    await remove(second);
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('keep their rows in place while the pointer is over them', async () => {
    const { page, complaints } = tab;
    const third = await make('third');
    const row = page.getByRole('row').filter({ hasText: 'first' });
    await page.getByRole('link', { name: 'third' }).waitFor();
    await row.hover();
    const before = await row.boundingBox();
    await make('fourth');
    await remove(third);
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'third' }).getByText('Deleted').waitFor();
    expect(await page.getByRole('link', { name: 'fourth' }).count()).toBe(0);
    expect(await row.boundingBox()).toEqual(before);
    await page.mouse.move(5, 5);
    await page.getByRole('link', { name: 'fourth' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'third' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});
