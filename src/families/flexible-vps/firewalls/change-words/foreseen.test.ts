/** What dry runs say about firewalls and the machines that have them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ForeseenChange } from '../../../../kernel/change-words/change-words.ts';
import { createTestApp, type TestApp } from '../../../../testing/app.ts';
import { settle } from '../../../../testing/operations.ts';
import { VpsAccount } from '../../../../testing/vps.ts';
import type { Firewall } from '../schema.ts';

let app: TestApp;
let mine: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
});

type Method = 'POST' | 'PATCH' | 'DELETE';
const ssh = { direction: 'in', action: 'allow', protocol: 'tcp', ports: ['22'] } as const;

async function firewall(name: string, body: object = {}): Promise<Firewall> {
  const answer = await mine.send('POST', 'firewalls', { name, ...body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Firewall>();
}

/** Each sentence, with `!` before those that loosen. */
async function foreseen(method: Method, path: string, body?: object): Promise<string[]> {
  const answer = await mine.send(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, body);
  expect(answer.statusCode, answer.body).toBe(200);
  const { changes } = answer.json<{ changes: ForeseenChange[] }>();
  return changes.map(({ text, loosens }) => `${loosens ? '! ' : ''}${text}`);
}

const attach = (id: string, target: object) => mine.do('POST', `firewalls/${id}/attachments`, { target });

describe('a dry run of a firewall change', () => {
  it('counts each machine once for which a rule opens ports', async () => {
    const { id } = await firewall('web');
    const vm = await mine.vm({ firewall_ids: [id], labels: { env: 'prod' } });
    await mine.vm({ labels: { env: 'prod' } });
    await attach(id, { type: 'label_selector', selector: 'env=prod' });
    await attach(id, { type: 'interface', id: vm.interfaces[0]?.id });
    const rule = { ...ssh, ports: ['1-65535'], remote_cidrs: ['198.51.100.0/24'] };
    expect(await foreseen('POST', `firewalls/${id}/rules`, rule)).toEqual([
      '! the firewall "web" opens tcp 1-65535 to 198.51.100.0/24 for 2 machines',
    ]);
  });

  it('calls machines and firewalls by their names', async () => {
    const office = await firewall('office');
    const { id } = await firewall('db');
    const vm = await mine.vm();
    expect(
      await foreseen('POST', `firewalls/${id}/attachments`, { target: { type: 'vm', id: vm.id } }),
    ).toEqual([`attaches the firewall "db" to the machine "${vm.name}"`]);
    const rule = { ...ssh, remote_firewall_ids: [office.id] };
    expect(await foreseen('POST', `firewalls/${id}/rules`, rule)).toEqual([
      '! the firewall "db" opens tcp 22 to the machines of the firewall "office" for no machine yet',
    ]);
  });

  it('says that a second firewall allows more for a machine that already has one', async () => {
    const [closed, open] = [await firewall('closed'), await firewall('open', { rules: [ssh] })];
    const vm = await mine.vm({ firewall_ids: [closed.id] });
    const target = { type: 'vm', id: vm.id };
    expect(await foreseen('POST', `firewalls/${open.id}/attachments`, { target })).toEqual([
      `attaches the firewall "open" to the machine "${vm.name}"`,
      '! what the firewall "open" allows is also let through to machines that have other firewalls',
    ]);
    const bare = { type: 'vm', id: (await mine.vm()).id };
    expect(await foreseen('POST', `firewalls/${open.id}/attachments`, { target: bare })).toHaveLength(1);
  });

  it('says from how many machines a deleted firewall is removed', async () => {
    const { id } = await firewall('web');
    expect(await foreseen('DELETE', `firewalls/${id}`)).toEqual(['deletes the firewall "web"']);
    await mine.vm({ firewall_ids: [id] });
    expect(await foreseen('DELETE', `firewalls/${id}?detach=true`)).toEqual([
      'deletes the firewall "web"',
      '! takes the firewall "web" from 1 machine',
    ]);
  });

  it('says that a change of labels removes a firewall from a machine', async () => {
    const { id } = await firewall('prod');
    await attach(id, { type: 'label_selector', selector: 'env=prod' });
    const vm = await mine.vm({ labels: { env: 'prod' } });
    const subject = `the machine "${vm.name}"`;
    expect(await foreseen('PATCH', `vms/${vm.id}`, { labels: { env: null } })).toEqual([
      `! its labels take the firewall "prod" from ${subject}`,
      `removes the label env from ${subject}`,
    ]);
    await mine.send('PATCH', `vms/${vm.id}`, { labels: { env: null } });
    await settle(app);
    expect(await foreseen('PATCH', `vms/${vm.id}`, { labels: { env: 'prod' } })).toEqual([
      `its labels give ${subject} the firewall "prod"`,
      `sets the label env=prod of ${subject}`,
    ]);
  });

  it('says that a machine loses its backup policy, or keeps fewer backups', async () => {
    const policy = async (name: string, keep_last: number): Promise<string> => {
      const body = { name, schedule: { frequency: 'daily', hour: 2 }, retention: { keep_last } };
      return (await mine.send('POST', 'backup-policies', body)).json<{ id: string }>().id;
    };
    const [long, short] = [await policy('long', 14), await policy('short', 3)];
    const vm = await mine.vm({ backup_policy_id: long });
    const subject = `the machine "${vm.name}"`;
    const to = (backup_policy_id: string | null) => foreseen('PATCH', `vms/${vm.id}`, { backup_policy_id });
    expect(await to(short)).toEqual([
      `! ${subject} is backed up by the backup policy "short" instead of "long"`,
    ]);
    expect(await to(null)).toEqual([`! ${subject} is no longer backed up by the backup policy "long"`]);
    expect(await to(long)).toEqual([]);
    expect(await foreseen('PATCH', `backup-policies/${long}`, { retention: { keep_last: 2 } })).toEqual([
      '! the backup policy "long" keeps the last 2 backups instead of 14, for 1 machine',
    ]);
    expect(await foreseen('DELETE', `backup-policies/${long}?detach=true`)).toEqual([
      `! ${subject} is no longer backed up by the backup policy "long"`,
      'deletes the backup policy "long"',
    ]);
  });
});
