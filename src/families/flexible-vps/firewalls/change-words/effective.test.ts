/** How often the words about firewalls ask the database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, openPool } from '../../../../store/database.ts';
import { createTestApp, type TestApp } from '../../../../testing/app.ts';
import { VpsAccount } from '../../../../testing/vps.ts';
import type { Firewall } from '../schema.ts';
import { effectiveWords } from './effective.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

it('a machine that gets three firewalls costs as many queries as one that gets a single one', async () => {
  const mine = await VpsAccount.open(app);
  const { id: vmId } = await mine.vm({ labels: { role: 'web' } });
  const made: { readonly firewall: string; readonly attachment: string }[] = [];
  for (const name of ['one', 'two', 'three']) {
    const { id } = (await mine.send('POST', 'firewalls', { name })).json<Firewall>();
    const target = { type: 'label_selector', selector: 'role=web' };
    await mine.do('POST', `firewalls/${id}/attachments`, { target });
    const { attachments } = (await mine.send('GET', `firewalls/${id}`)).json<Firewall>();
    made.push({ firewall: id, attachment: attachments[0]?.id ?? '' });
  }
  const queries: string[] = [];
  const db = openDatabase(openPool(app.database.connection), {
    log: ({ query }) => void queries.push(query.sql),
  });
  const cost = async (count: number): Promise<[number, string[]]> => {
    queries.length = 0;
    const newAttachments = made.slice(0, count).map(({ attachment }) => attachment);
    const { gained } = await effectiveWords({ vmId, newAttachments, formerFirewalls: [] }, null, {
      db,
      accountId: mine.account.id,
      subject: 'the change of its labels',
    });
    return [queries.length, [...gained].sort()];
  };
  try {
    const ids = made.map(({ firewall }) => firewall);
    const [single] = await cost(1);
    expect(await cost(3)).toEqual([single, ids.sort()]);
  } finally {
    await db.destroy();
  }
});
