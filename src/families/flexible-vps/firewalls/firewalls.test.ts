/** Firewalls as customers meet them: rules, attachments, and what they let through between sandbox machines. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Capabilities } from '../../../engines/compute/port.ts';
import { type Delivery, send } from '../../../engines/compute/sandbox/packets.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { firewallDrift } from '../reconciliation/firewalls.ts';
import type { Vm } from '../vms/schema.ts';
import type { Firewall } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
});
afterEach(() => clearFaults(app.services.db));

const engine = () => app.services.compute.at('fra1') as Sandbox;
const read = async (id: string): Promise<Firewall> =>
  (await mine.send('GET', `firewalls/${id}`)).json<Firewall>();
const readVm = async (id: string): Promise<Vm> => (await mine.send('GET', `vms/${id}`)).json<Vm>();

async function firewall(body: object = {}): Promise<Firewall> {
  const answer = await mine.send('POST', 'firewalls', { name: `fw-${++serial}`, ...body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Firewall>();
}
const change = (path: string, method: 'POST' | 'PATCH' | 'DELETE', body?: object) =>
  mine.do<Firewall & { rule_id: string; attachment_id: string }>(method, `firewalls/${path}`, body);
const attach = (id: string, target: object) => change(`${id}/attachments`, 'POST', { target });
const ssh = { direction: 'in', action: 'allow', protocol: 'tcp', ports: ['22'] } as const;

/** What happens to a connection to port 22 of the other machine, over its public address. */
const connect = (from: Vm, to: Vm, port = 22): Promise<Delivery> =>
  send(engine().core, { account: mine.account.id, id: from.id }, to.primary_ipv4 ?? '', {
    protocol: 'tcp',
    port,
  });

describe('the rules of a firewall', () => {
  it('are stored in their shortest form, with a warning for host bits', async () => {
    const rule = { ...ssh, ports: ['8000-8100', '22-22'], remote_cidrs: ['203.0.113.7/24', '2001:DB8::/32'] };
    const dry = await mine.send('POST', 'firewalls?dry_run=true', { name: 'dry', rules: [rule] });
    expect(dry.json<{ warnings: object[] }>().warnings).toMatchObject([
      { code: 'host_bits_zeroed', pointer: '/rules/0/remote_cidrs/0' },
    ]);
    const { rules } = await firewall({ rules: [rule] });
    expect(rules).toMatchObject([
      { ports: ['22', '8000-8100'], remote_cidrs: ['2001:db8::/32', '203.0.113.0/24'], enabled: true },
    ]);
  });

  it('422: names every fault at once', async () => {
    const rules = [
      { ...ssh, protocol: 'icmp' },
      { ...ssh, ports: ['100-22', '0'] },
      { ...ssh, icmp_type: 8 },
      { ...ssh, remote_firewall_ids: ['fw_01jqzv2m7xe9rs5d3k8w4t6y0b'] },
      ssh,
      ssh,
    ];
    const { errors } = (await mine.send('POST', 'firewalls', { name: 'bad', rules })).json<{
      errors: { pointer: string; code: string }[];
    }>();
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
      '/rules/0/ports incompatible',
      '/rules/1/ports/0 out_of_range',
      '/rules/1/ports/1 out_of_range',
      '/rules/2/icmp_type incompatible',
      '/rules/3/remote_firewall_ids/0 unknown_reference',
      '/rules/5 not_unique',
    ]);
  });

  it('422: refuses ranges that no other machine can have', async () => {
    const rules = [{ ...ssh, remote_cidrs: ['0.0.0.0/0', '127.0.0.0/8', 'nonsense'] }];
    const { errors } = (await mine.send('POST', 'firewalls', { name: 'bad', rules })).json();
    expect(errors).toMatchObject([
      { pointer: '/rules/0/remote_cidrs/1', code: 'out_of_range' },
      { pointer: '/rules/0/remote_cidrs/2', code: 'invalid_format' },
    ]);
  });

  it('keep their ids when the list is replaced, and adding the same rule twice has no effect', async () => {
    const { id, rules } = await firewall({ rules: [ssh] });
    const web = { ...ssh, ports: ['443'] };
    const changed = await change(id, 'PATCH', { rules: [web, { ...ssh, description: 'SSH' }] });
    expect(changed.rules[1]).toMatchObject({ id: rules[0]?.id, description: 'SSH' });
    const again = await change(`${id}/rules`, 'POST', web);
    expect(again.rule_id).toBe(changed.rules[0]?.id);
    await change(`${id}/rules/${again.rule_id}`, 'DELETE');
    expect((await read(id)).rules.map(({ ports }) => ports)).toEqual([['22']]);
  });

  it('422: are refused if a machine would have too many filter entries', async () => {
    const { id } = await firewall();
    await mine.vm({ firewall_ids: [id] });
    const remote_cidrs = Array.from({ length: 50 }, (_, i) => `203.0.${i}.0/24`);
    const ports = Array.from({ length: 20 }, (_, i) => String(i + 1));
    const rules = [{ ...ssh, ports, remote_cidrs }, ssh];
    const answer = await mine.send('PATCH', `firewalls/${id}`, { rules });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/rules', code: 'too_many' }] });
  });
});

describe('a firewall', () => {
  it('applies from the first packet of a new machine, and is shown with the machine', async () => {
    const { id } = await firewall({ rules: [{ ...ssh, ports: ['443'] }] });
    const [client, server] = [await mine.vm(), await mine.vm({ firewall_ids: [id] })];
    expect(server.firewall_ids).toEqual([id]);
    expect(server.interfaces.map(({ firewall_ids }) => firewall_ids)).toEqual([[id]]);
    const list = await mine.send('GET', `vms?firewall_id=${id}`);
    expect(list.json<{ data: Vm[] }>().data.map((vm) => vm.id)).toEqual([server.id]);
    expect(await connect(client, server)).toBe('dropped');
    expect(await connect(client, server, 443)).toBe('refused');
    expect(await connect(server, client)).toBe('arrived');
    expect((await read(id)).vm_count).toBe(1);
  });

  it('lets drop win over allow, and the strictest default win over others', async () => {
    const open = await firewall({ default_in: 'allow' });
    const [client, server] = [await mine.vm(), await mine.vm({ firewall_ids: [open.id] })];
    expect(await connect(client, server)).toBe('arrived');
    const closed = await firewall();
    await attach(closed.id, { type: 'vm', id: server.id });
    expect(await connect(client, server)).toBe('dropped');
    await change(`${open.id}/rules`, 'POST', ssh);
    expect(await connect(client, server)).toBe('arrived');
    await change(`${closed.id}/rules`, 'POST', { ...ssh, action: 'drop' });
    expect(await connect(client, server)).toBe('dropped');
  });

  it('applies to machines that match its label selector, besides those attached by id', async () => {
    const { id } = await firewall();
    const [client, server] = [await mine.vm(), await mine.vm({ labels: { role: 'web' } })];
    await attach(id, { type: 'label_selector', selector: 'role=web' });
    expect(await connect(client, server)).toBe('dropped');
    await mine.send('PATCH', `vms/${server.id}`, { labels: { role: 'db' } });
    await settle(app);
    expect(await connect(client, server)).toBe('arrived');
    expect((await readVm(server.id)).firewall_ids).toEqual([]);
    const later = await mine.vm({ labels: { role: 'web' } });
    expect(await connect(client, later)).toBe('dropped');
    const { attachment_id } = await attach(id, { type: 'vm', id: later.id });
    const { attachments } = await read(id);
    expect(attachments.map(({ vm_count }) => vm_count)).toEqual([1, 1]);
    await change(`${id}/attachments/${attachment_id}`, 'DELETE');
    expect(await connect(client, later)).toBe('dropped');
  });

  it('allows the current machines of another firewall that a rule names', async () => {
    const trusted = await firewall({ default_in: 'allow' });
    const rules = [{ ...ssh, remote_firewall_ids: [trusted.id] }];
    const { id } = await firewall({ rules });
    const [client, server] = [await mine.vm(), await mine.vm({ firewall_ids: [id] })];
    expect(await connect(client, server)).toBe('dropped');
    const { attachment_id } = await attach(trusted.id, { type: 'vm', id: client.id });
    expect(await connect(client, server)).toBe('arrived');
    await change(`${trusted.id}/attachments/${attachment_id}`, 'DELETE');
    expect(await connect(client, server)).toBe('dropped');
    const refused = await mine.send('DELETE', `firewalls/${trusted.id}`);
    expect(refused.json()).toMatchObject({ code: 'resource_in_use', used_by: [{ type: 'firewall', id }] });
  });

  it('does not allow an address that its machine no longer has', async () => {
    const trusted = await firewall({ default_in: 'allow' });
    const client = await mine.vm({ firewall_ids: [trusted.id] });
    const addresses = async () => {
      const seen = await engine().observeFirewall({ account: mine.account.id, id: trusted.id });
      return seen?.members.flatMap((member) => member.addresses);
    };
    const [four] = client.public_ips.filter(({ version }) => version === 4);
    expect(await addresses()).toContain(`${four?.address}/32`);
    await mine.do('DELETE', `vms/${client.id}/public-ips/${four?.ip_id}`);
    expect(await addresses()).not.toContain(`${four?.address}/32`);
    expect(await addresses()).not.toEqual([]);
  });

  it('is attached once, and warns about lost access and about removing the last firewall', async () => {
    const { id } = await firewall();
    const vm = await mine.vm();
    const target = { type: 'vm', id: vm.id };
    const dry = await mine.send('POST', `firewalls/${id}/attachments?dry_run=true`, { target });
    expect(dry.json()).toMatchObject({ warnings: [{ code: 'management_access_lost' }] });
    const [first, second] = [await attach(id, target), await attach(id, target)];
    expect(second.attachment_id).toBe(first.attachment_id);
    const path = `firewalls/${id}/attachments/${first.attachment_id}`;
    expect((await mine.send('DELETE', `${path}?dry_run=true`)).json()).toMatchObject({
      warnings: [{ code: 'unprotected' }],
    });
  });

  it('409: cannot be deleted while it is attached, unless detach is set', async () => {
    const { id } = await firewall();
    const [client, server] = [await mine.vm(), await mine.vm({ firewall_ids: [id] })];
    const refused = await mine.send('DELETE', `firewalls/${id}`);
    expect(refused.json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [{ type: 'vm', id: server.id }],
    });
    const dry = await mine.send('DELETE', `firewalls/${id}?detach=true&dry_run=true`);
    expect(dry.json()).toMatchObject({ warnings: [{ code: 'unprotected' }] });
    await mine.send('DELETE', `firewalls/${id}?detach=true`);
    await settle(app);
    expect((await mine.send('GET', `firewalls/${id}`)).statusCode).toBe(404);
    const after = await readVm(server.id);
    expect(after.firewall_ids).toEqual([]);
    expect(after.etag).not.toBe(server.etag);
    expect(await connect(client, server)).toBe('arrived');
    expect(await engine().observeFirewall({ account: mine.account.id, id })).toBeNull();
  });

  it('is deleted after the deletion of its machine has finished', async () => {
    const { id } = await firewall();
    const vm = await mine.vm({ firewall_ids: [id] });
    const dry = await mine.send('DELETE', `vms/${vm.id}?dry_run=true`);
    expect(dry.json<{ effects: object[] }>().effects).toContainEqual(
      expect.objectContaining({ action: 'detach', type: 'firewall', id }),
    );
    await mine.send('DELETE', `vms/${vm.id}`);
    expect((await mine.send('DELETE', `firewalls/${id}`)).statusCode).toBe(202);
    await settle(app);
    expect((await mine.send('GET', `firewalls/${id}`)).statusCode).toBe(404);
  });

  it('keeps its old rules in force if an engine refuses the new ones, and is retried', async () => {
    const { id } = await firewall();
    const [client, server] = [await mine.vm(), await mine.vm({ firewall_ids: [id] })];
    await addFault(app.services.db, {
      call: 'ensureFirewall',
      effect: { kind: 'fail', code: 'engine_failed', detail: 'No.' },
    });
    await mine.send('POST', `firewalls/${id}/rules`, ssh);
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'error', status_reason: 'engine_failed' });
    expect(await connect(client, server)).toBe('dropped');
    await clearFaults(app.services.db);
    await firewallDrift.run(app.services);
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'active', status_reason: null });
    expect(await connect(client, server)).toBe('arrived');
  });

  it('is active only when the engines of all locations have applied it', async () => {
    const { id } = await firewall();
    for (const location of ['ams1', 'fra1']) await mine.vm({ location, labels: { role: 'web' } });
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'No.' } as const;
    await addFault(app.services.db, { call: 'ensureFirewall', location: 'fra1', effect });
    await attach(id, { type: 'label_selector', selector: 'role=web' });
    const seenAt = async (location: string) => {
      const at = app.services.compute.at(location);
      return (await at?.observeFirewall({ account: mine.account.id, id }))?.members.length;
    };
    expect([await seenAt('ams1'), await seenAt('fra1')]).toEqual([1, undefined]);
    expect(await read(id)).toMatchObject({ status: 'error', vm_count: 2 });
    await clearFaults(app.services.db);
    await firewallDrift.run(app.services);
    await settle(app);
    expect([await seenAt('ams1'), await seenAt('fra1')]).toEqual([1, 1]);
    expect(await read(id)).toMatchObject({ status: 'active' });
  });

  it('is restored if the engine lost it, and removed if only the engine has it', async () => {
    const { id } = await firewall();
    const [client, server] = [await mine.vm(), await mine.vm({ firewall_ids: [id] })];
    const account = mine.account.id;
    await engine().removeFirewall({ account, id });
    expect(await connect(client, server)).toBe('arrived');
    const stray = { account, id: 'fw_01jqzv2m7xe9rs5d3k8w4t6y0b' };
    const spec = (await engine().observeFirewall({ account, id })) ?? {
      revision: 1,
      defaultIn: 'drop' as const,
      defaultOut: 'drop' as const,
      rules: [],
      members: [],
    };
    await engine().ensureFirewall(stray, spec);
    await firewallDrift.run(app.services);
    expect(await connect(client, server)).toBe('dropped');
    expect(await engine().observeFirewall(stray)).toBeNull();
  });

  it('is active after several changes, which are applied one after another', async () => {
    const { id } = await firewall();
    await mine.vm({ firewall_ids: [id] });
    for (const port of ['80', '81', '82'])
      expect((await mine.send('POST', `firewalls/${id}/rules`, { ...ssh, ports: [port] })).statusCode).toBe(
        202,
      );
    expect((await read(id)).status).toBe('applying');
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'active', rules: [{}, {}, {}] });
  });
});

describe('where an engine cannot filter public interfaces', () => {
  async function whereLacking(work: () => Promise<void>): Promise<void> {
    const changeable = engine() as unknown as { capabilities: Capabilities };
    const { capabilities } = changeable;
    changeable.capabilities = { ...capabilities, publicFirewalls: 'Only private networks have firewalls.' };
    try {
      await work();
    } finally {
      changeable.capabilities = capabilities;
    }
  }
  const missing = { code: 'capability_missing', capability: 'publicFirewalls' };

  it('409: cannot be attached to a machine with a public address, but to a private interface', () =>
    whereLacking(async () => {
      const { id } = await firewall();
      const network = await mine.do<{ id: string }>('POST', 'networks', {
        name: `n-${++serial}`,
        location: 'fra1',
        ipv4_cidr: '10.9.0.0/24',
      });
      const vm = await mine.vm({ networks: [{ network_id: network.id }], labels: { role: 'web' } });
      const [front, inner] = vm.interfaces;
      const refused = async (target: object) =>
        (await mine.send('POST', `firewalls/${id}/attachments`, { target })).json();
      expect(await refused({ type: 'vm', id: vm.id })).toMatchObject(missing);
      expect(await refused({ type: 'interface', id: front?.id })).toMatchObject(missing);
      expect(await refused({ type: 'label_selector', selector: 'role=web' })).toMatchObject(missing);
      const wrong = { type: 'interface', id: inner?.id, vm_id: (await mine.vm()).id };
      expect(await refused(wrong)).toMatchObject({ errors: [{ pointer: '/target/id' }] });
      const shown = await attach(id, { type: 'interface', id: inner?.id });
      expect(shown.attachments).toMatchObject([{ target: { vm_id: vm.id, id: inner?.id } }]);
      await attach(id, { type: 'network', id: network.id });
      expect((await readVm(vm.id)).interfaces.map(({ firewall_ids }) => firewall_ids)).toEqual([[], [id]]);
      const { id: selective } = await firewall();
      await attach(selective, { type: 'label_selector', selector: 'role=api' });
      const labelled = await mine.send('PATCH', `vms/${vm.id}`, { labels: { role: 'api' } });
      expect(labelled.json()).toMatchObject(missing);
    }));
});
