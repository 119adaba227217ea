/** Dry runs look at a limited number of machines. What may open something for the others counts as loosening. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ForeseenChange, MOST_COUNTED } from '../../../../kernel/change-words/change-words.ts';
import { createTestApp, type TestApp } from '../../../../testing/app.ts';
import { VpsAccount } from '../../../../testing/vps.ts';
import { newAttachmentId } from '../resource.ts';
import type { Firewall } from '../schema.ts';
import { MOST_GROUPS } from './store.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

const anything = { direction: 'in', action: 'allow', protocol: 'any' };

/** Copies the row of a machine, with other ids and names. */
async function multiply(vmId: string, machines: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into vms select copy.* from vms, generate_series(2, ${machines}) n,
      lateral jsonb_populate_record(vms, jsonb_build_object(
        'id', overlay(vms.id placing lpad(n::text, 4, '0') from 22), 'name', vms.name || n)) copy
    where vms.id = ${vmId} returning id`.execute(app.services.db);
  return rows.map(({ id }) => id);
}

const firewall = async (mine: VpsAccount, name: string, body: object = {}): Promise<string> =>
  (await mine.send('POST', 'firewalls', { name, ...body })).json<Firewall>().id;

async function foreseen(mine: VpsAccount, path: string, body: object): Promise<ForeseenChange[]> {
  const answer = await mine.send('POST', `${path}?dry_run=true`, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ changes: ForeseenChange[] }>().changes;
}

async function laxFleet(machines: number) {
  const mine = await VpsAccount.open(app);
  const { id } = await mine.vm({ labels: { role: 'web' } });
  const copies = await multiply(id, machines);
  const lax = await firewall(mine, 'lax', { default_in: 'allow' });
  const target = { type: 'label_selector', selector: 'role=web' };
  await mine.do('POST', `firewalls/${lax}/attachments`, { target });
  return { mine, lax, copies };
}

it('a rule that opens nothing for the counted machines loosens if there are more machines', async () => {
  const { mine, lax } = await laxFleet(MOST_COUNTED + 5);
  expect(await foreseen(mine, `firewalls/${lax}/rules`, anything)).toEqual([
    {
      text: 'the firewall "lax" brings 1 new rule and takes 0 away for more than 1,000 machines',
      loosens: true,
    },
  ]);
  const drop = { ...anything, action: 'drop' };
  const dropped = await foreseen(mine, `firewalls/${lax}/rules`, drop);
  expect(dropped.filter(({ loosens }) => loosens)).toEqual([]);
});

it('a rule loosens if the machines have too many combinations of firewalls to compare them', async () => {
  const { mine, lax, copies } = await laxFleet(MOST_GROUPS + 10);
  const { db } = app.services;
  for (const [i, vm_id] of copies.entries()) {
    const firewall_id = await firewall(mine, `own-${i}`, { default_in: 'allow' });
    const none = { interface_id: null, network_id: null, selector: null, terms: null };
    const row = { id: newAttachmentId(), account_id: mine.account.id, firewall_id, vm_id, ...none };
    await db.insertInto('firewall_attachments').values(row).execute();
  }
  const changes = await foreseen(mine, `firewalls/${lax}/rules`, anything);
  expect(changes).toEqual([
    {
      text: `the firewall "lax" brings 1 new rule and takes 0 away for at least ${MOST_GROUPS} machines`,
      loosens: true,
    },
  ]);
});
