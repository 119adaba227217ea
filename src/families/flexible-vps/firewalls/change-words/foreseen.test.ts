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
    ).toEqual([
      `attaches the firewall "db" to the machine "${vm.name}"`,
      'the firewall "db" drops all arriving connections that no rule allows, for 1 machine',
    ]);
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
      '! the firewall "open" opens tcp 22 to everybody for 1 machine',
    ]);
    const bare = { type: 'vm', id: (await mine.vm()).id };
    const onBare = await foreseen('POST', `firewalls/${open.id}/attachments`, { target: bare });
    expect(onBare.filter((text) => text.startsWith('!'))).toEqual([]);
  });

  it('says from how many machines a deleted firewall is removed', async () => {
    const { id } = await firewall('web');
    expect(await foreseen('DELETE', `firewalls/${id}`)).toEqual(['deletes the firewall "web"']);
    await mine.vm({ firewall_ids: [id] });
    expect(await foreseen('DELETE', `firewalls/${id}?detach=true`)).toEqual([
      'deletes the firewall "web"',
      'takes the firewall "web" from 1 machine',
      '! the removal of the firewall "web" lets in all arriving connections that no rule drops, for 1 machine',
    ]);
  });

  it('says that a change of labels removes a firewall from a machine', async () => {
    const { id } = await firewall('prod');
    await attach(id, { type: 'label_selector', selector: 'env=prod' });
    const vm = await mine.vm({ labels: { env: 'prod' } });
    const subject = `the machine "${vm.name}"`;
    expect(await foreseen('PATCH', `vms/${vm.id}`, { labels: { env: null } })).toEqual([
      `its labels take the firewall "prod" from ${subject}`,
      `! the change of its labels lets in all arriving connections that no rule drops, for ${subject}`,
      `removes the label "env" from ${subject}`,
    ]);
    await mine.send('PATCH', `vms/${vm.id}`, { labels: { env: null } });
    await settle(app);
    expect(await foreseen('PATCH', `vms/${vm.id}`, { labels: { env: 'prod' } })).toEqual([
      `its labels give ${subject} the firewall "prod"`,
      `the change of its labels drops all arriving connections that no rule allows, for ${subject}`,
      `sets the label "env=prod" of ${subject}`,
    ]);
  });

  const anything = { direction: 'in', action: 'allow', protocol: 'any' } as const;

  it('describes what all firewalls of a machine let through together', async () => {
    const [strict, lax] = [await firewall('strict'), await firewall('lax', { default_in: 'allow' })];
    const both = [strict.id, lax.id];
    await mine.vm({ firewall_ids: both });
    await mine.vm({ firewall_ids: both });
    const alone = await mine.vm({ firewall_ids: [lax.id] });
    expect(await foreseen('POST', `firewalls/${lax.id}/rules`, anything)).toEqual([
      '! the firewall "lax" opens everything to everybody for 2 machines',
    ]);
    expect(await foreseen('PATCH', `firewalls/${strict.id}`, { default_in: 'allow' })).toEqual([
      '! the firewall "strict" lets in all arriving connections that no rule drops, for 2 machines',
    ]);
    expect(await foreseen('PATCH', `firewalls/${lax.id}`, { default_in: 'drop' })).toEqual([
      'the firewall "lax" drops all arriving connections that no rule allows, for 1 machine',
    ]);
    await mine.do('POST', `firewalls/${lax.id}/rules`, anything);
    expect(await foreseen('DELETE', `firewalls/${strict.id}?detach=true`)).toEqual([
      'deletes the firewall "strict"',
      'takes the firewall "strict" from 2 machines',
    ]);
    expect(
      await foreseen('POST', `firewalls/${strict.id}/attachments`, { target: { type: 'vm', id: alone.id } }),
    ).toEqual([`attaches the firewall "strict" to the machine "${alone.name}"`]);
  });

  it('describes the interfaces of a machine that have firewalls of their own', async () => {
    const strict = await firewall('strict');
    const lax = await firewall('lax', { default_in: 'allow', rules: [anything] });
    const network = await mine.network({ name: 'backend' });
    const vm = await mine.vm({ firewall_ids: [strict.id], networks: [{ network_id: network }] });
    const target = { type: 'network', id: network };
    expect(await foreseen('POST', `firewalls/${lax.id}/attachments`, { target })).toEqual([
      `attaches the firewall "lax" to the network "backend"`,
      '! the firewall "lax" opens everything to everybody for 1 machine',
    ]);
    await attach(lax.id, target);
    const { attachments } = (await mine.send('GET', `firewalls/${lax.id}`)).json<Firewall>();
    expect(await foreseen('DELETE', `firewalls/${lax.id}/attachments/${attachments[0]?.id}`)).toEqual([
      `takes the firewall "lax" from the network "backend"`,
      'the removal of the firewall "lax" closes everything to everybody for 1 machine',
    ]);
    const own = await foreseen('POST', `firewalls/${lax.id}/attachments`, {
      target: { type: 'interface', id: vm.interfaces.find(({ kind }) => kind === 'private')?.id },
    });
    expect(own.filter((text) => text.startsWith('!'))).toEqual([]);
  });

  it('says what labels open that give a machine a firewall', async () => {
    const strict = await firewall('strict');
    const lax = await firewall('lax', { default_in: 'allow', rules: [anything] });
    const vm = await mine.vm({ firewall_ids: [strict.id] });
    const subject = `the machine "${vm.name}"`;
    const target = { type: 'label_selector', selector: 'role=x' };
    expect(await foreseen('POST', `firewalls/${lax.id}/attachments`, { target })).toEqual([
      'attaches the firewall "lax" to all machines with the labels "role=x", which changes no machine yet',
    ]);
    await attach(lax.id, target);
    expect(await foreseen('PATCH', `vms/${vm.id}`, { labels: { role: 'x' } })).toEqual([
      `its labels give ${subject} the firewall "lax"`,
      `! the change of its labels opens everything to everybody for ${subject}`,
      `sets the label "role=x" of ${subject}`,
    ]);
  });

  it('says by which labels a machine keeps a firewall that is taken from it, or already has it', async () => {
    const { id } = await firewall('web');
    const vm = await mine.vm({ labels: { role: 'web' } });
    const target = { type: 'vm', id: vm.id };
    await attach(id, { type: 'label_selector', selector: 'role=web' });
    const why = 'the firewall "web", because it is attached to all machines with the labels "role=web"';
    expect(await foreseen('POST', `firewalls/${id}/attachments`, { target })).toEqual([
      `attaches the firewall "web" to the machine "${vm.name}"`,
      `the machine "${vm.name}" already has ${why}`,
    ]);
    await attach(id, target);
    const { attachments } = (await mine.send('GET', `firewalls/${id}`)).json<Firewall>();
    const [byLabels, own] = ['label_selector', 'vm'].map(
      (type) => `firewalls/${id}/attachments/${attachments.find((each) => each.target.type === type)?.id}`,
    );
    expect(await foreseen('DELETE', own ?? '')).toEqual([
      `takes the firewall "web" from the machine "${vm.name}"`,
      `the machine "${vm.name}" keeps ${why}`,
    ]);
    await mine.vm({ labels: { role: 'web' } });
    expect(await foreseen('DELETE', byLabels ?? '')).toEqual([
      'takes the firewall "web" from all machines with the labels "role=web"',
      `the machine "${vm.name}" keeps the firewall "web", because it is attached to the machine "${vm.name}"`,
      '! the removal of the firewall "web" lets in all arriving connections that no rule drops, for 1 machine',
    ]);
  });

  it('says that a firewall taken from labels without machines changes none', async () => {
    const { id } = await firewall('web');
    await attach(id, { type: 'label_selector', selector: 'role=x' });
    const { attachments } = (await mine.send('GET', `firewalls/${id}`)).json<Firewall>();
    expect(await foreseen('DELETE', `firewalls/${id}/attachments/${attachments[0]?.id}`)).toEqual([
      'takes the firewall "web" from all machines with the labels "role=x", which changes no machine',
    ]);
  });

  it('says which rules of other firewalls also apply to a machine that gets a firewall', async () => {
    const app_ = await firewall('app', { default_in: 'allow' });
    const from = { remote_firewall_ids: [app_.id] };
    const db = await firewall('db', { rules: [{ ...ssh, ...from }] });
    const vm = await mine.vm();
    const target = { type: 'vm', id: vm.id };
    const attaching = () => foreseen('POST', `firewalls/${app_.id}/attachments`, { target });
    const attached = `attaches the firewall "app" to the machine "${vm.name}"`;
    expect(await attaching()).toEqual([attached]);
    await mine.vm({ firewall_ids: [db.id] });
    expect(await attaching()).toEqual([
      attached,
      '! what the firewall "db" allows for the machines of the firewall "app" is also allowed for 1 machine',
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
