import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import type { Interface } from './schema.ts';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  vps = await VpsAccount.open(app);
});

const attaching = (vmId: string, body: object) => vps.send('POST', `vms/${vmId}/interfaces`, body);

describe('attaching to a network', () => {
  it('is shown as an operation wherever the interface is shown', async () => {
    const vm = await vps.vm();
    const accepted = (await attaching(vm.id, { network_id: await vps.network() })).json<Interface>();
    const rows = [
      (await vps.readVm(vm.id)).interfaces,
      (await vps.send('GET', `vms?ids=${vm.id}`)).json<{ data: Vm[] }>().data[0]?.interfaces,
      (await vps.send('PATCH', `vms/${vm.id}`, { description: 'Busy' })).json<Vm>().interfaces,
      (await vps.send('GET', `vms/${vm.id}/interfaces`)).json<{ data: Interface[] }>().data,
    ].map((shown) => shown?.find(({ id }) => id === accepted.id)?.operation?.id);
    expect(rows).toEqual(Array(4).fill(accepted.operation?.id));
    await settle(app);
    expect((await vps.readVm(vm.id)).interfaces.map(({ operation }) => operation)).toEqual([null, null]);
  });

  it('assigns the lowest free IPv4 address and an IPv6 address derived from the MAC, also at the engine', async () => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
    const answer = await attaching(vm.id, { network_id: network });
    expect(answer.statusCode, answer.body).toBe(202);
    const accepted = answer.json<Interface>();
    expect(accepted).toMatchObject({ status: 'attaching', kind: 'private', network_id: network, index: 1 });
    expect(accepted.ipv4).toBe('10.20.0.2');
    expect(accepted.mac).toMatch(/^02(:[0-9a-f]{2}){5}$/);
    expect(accepted.operation).toMatchObject({ type: 'interface.attach', resource: { id: accepted.id } });
    await settle(app);
    const [, active] = await vps.interfaces(vm.id);
    expect(active).toMatchObject({ id: accepted.id, status: 'active', operation: null, ipv4: '10.20.0.2' });
    expect(active?.etag).not.toBe(accepted.etag);
    const instance = await vps.instance(vm);
    expect(instance?.nics[1]).toMatchObject({
      id: accepted.id,
      network,
      mac: accepted.mac,
      ipv4: '10.20.0.2',
      ipv6: accepted.ipv6,
    });
    const shown = await vps.readVm(vm.id);
    expect(shown.interfaces[1]).toMatchObject({ id: accepted.id });
    expect(shown.etag).not.toBe(vm.etag);
  });

  it('accepts requested addresses in any notation', async () => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
    const { ipv6_cidr } = (await vps.send('GET', `networks/${network}`)).json<{ ipv6_cidr: string }>();
    const ipv6 = ipv6_cidr.replace('::/64', ':0:0:0:beef');
    const made = await vps.attach(vm.id, network, { ipv4: '10.20.0.77', ipv6, alias_ips: ['10.20.0.99'] });
    expect(made).toMatchObject({
      ipv4: '10.20.0.77',
      ipv6: ipv6_cidr.replace('::/64', '::beef'),
      alias_ips: ['10.20.0.99'],
    });
  });

  it.each([
    ['10.30.0.20', '/ipv4', 'out_of_range'],
    ['10.20.0.0', '/ipv4', 'out_of_range'],
    ['10.20.0.1', '/ipv4', 'out_of_range'],
    ['10.20.0.255', '/ipv4', 'out_of_range'],
    ['10.20.0.254', '/ipv4', 'out_of_range'],
    ['10.20.0', '/ipv4', 'invalid_format'],
    ['fd00::5', '/ipv4', 'invalid_format'],
  ])('422: %s', async (ipv4, pointer, code) => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
    const answer = await attaching(vm.id, { network_id: network, ipv4 });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  it('422: an alias that is repeated, equals the own address, or is outside the network', async () => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24', ipv6: false })];
    const alias_ips = ['10.20.0.9', '10.20.0.9', '10.20.0.10', '10.99.0.1', 'fd00::1'];
    const answer = await attaching(vm.id, { network_id: network, ipv4: '10.20.0.10', alias_ips });
    expect(
      answer.json().errors.map((e: { pointer: string; code: string }) => `${e.pointer} ${e.code}`),
    ).toEqual([
      '/alias_ips/3 out_of_range',
      '/alias_ips/4 out_of_range',
      '/alias_ips/1 not_unique',
      '/alias_ips/2 not_unique',
    ]);
  });

  it('422: a network that does not exist, belongs to another account, or is in another location', async () => {
    const vm = await vps.vm();
    const other = await VpsAccount.open(app);
    const foreign = await other.network();
    const far = await vps.network({ location: 'ams1' });
    const outcome = async (network_id: string) => {
      const answer = await attaching(vm.id, { network_id });
      return [answer.statusCode, answer.json().errors?.[0]?.pointer, answer.json().errors?.[0]?.code];
    };
    expect(await outcome(foreign)).toEqual([422, '/network_id', 'unknown_reference']);
    expect(await outcome(foreign.replace(/.{3}$/, '000'))).toEqual([422, '/network_id', 'unknown_reference']);
    expect(await outcome(far)).toEqual([422, '/network_id', 'location_mismatch']);
    const mine = await vps.network();
    expect((await other.send('POST', `vms/${vm.id}/interfaces`, { network_id: mine })).statusCode).toBe(404);
  });

  it('409: the same network twice, an address that is taken, or an overlapping network', async () => {
    const [one, two] = [await vps.vm(), await vps.vm()];
    const network = await vps.network({ ipv4_cidr: '10.20.0.0/24' });
    const first = await vps.attach(one.id, network, { ipv4: '10.20.0.7' });
    const again = await attaching(one.id, { network_id: network });
    expect(again.statusCode).toBe(409);
    expect(again.json()).toMatchObject({ code: 'already_attached', attached_to: first.id });
    expect(again.json().next_step).not.toContain('`move`');
    const taken = await attaching(two.id, { network_id: network, ipv4: '10.20.0.7' });
    expect(taken.json()).toMatchObject({ status: 409, code: 'address_taken', existing_id: first.id });
    const alias = await attaching(two.id, {
      network_id: network,
      alias_ips: ['10.20.0.7'],
      move_aliases: true,
    });
    expect(alias.json()).toMatchObject({ status: 409, code: 'address_taken' });
    const inside = await vps.network({ ipv4_cidr: '10.20.0.128/25' });
    const overlap = await attaching(one.id, { network_id: inside });
    expect(overlap.json()).toMatchObject({ status: 409, code: 'cidr_overlap', existing_id: network });
    expect(await vps.interfaces(two.id)).toHaveLength(1);
  });

  it('409: more than eight interfaces, or no free address in the network', async () => {
    const [vm, other] = [await vps.vm(), await vps.vm({ public_ipv4: { mode: 'none' } })];
    for (let i = 0; i < 7; i++)
      await vps.attach(vm.id, await vps.network({ ipv4_cidr: `10.${100 + i}.0.0/24` }));
    const ninth = await attaching(vm.id, { network_id: await vps.network() });
    expect(ninth.json()).toMatchObject({
      status: 409,
      code: 'quota_exceeded',
      limit_id: 'flexible-vps.interfaces-per-vm',
      limit: 8,
      used: 8,
    });
    const small = await vps.network({ ipv4_cidr: '10.40.0.0/28' });
    const aliases = Array.from({ length: 10 }, (_, n) => `10.40.0.${n + 3}`);
    await vps.attach(other.id, small, { alias_ips: aliases });
    const third = await vps.vm({ networks: [{ network_id: small }] });
    expect(third.interfaces.at(-1)?.ipv4).toBe('10.40.0.13');
    const full = await attaching((await vps.vm()).id, { network_id: small });
    expect(full.json()).toMatchObject({ status: 409, code: 'quota_exceeded', used: 12 });
    expect(full.json().next_step).toContain('larger range');
  });

  it('is queued behind other operations, and a dry run starts nothing', async () => {
    const vm = await vps.vm();
    const networks: string[] = [];
    for (let i = 0; i < 3; i++) networks.push(await vps.network({ ipv4_cidr: `10.${60 + i}.0.0/24` }));
    const [first = '', ...rest] = networks;
    const dry = await vps.send('POST', `vms/${vm.id}/interfaces?dry_run=true`, { network_id: first });
    expect(dry.json()).toMatchObject({ valid: true, effects: [{ action: 'create', type: 'interface' }] });
    const made = await attaching(vm.id, { network_id: first });
    for (const network_id of rest) expect((await attaching(vm.id, { network_id })).statusCode).toBe(202);
    const early = await vps.send('DELETE', `vms/${vm.id}/interfaces/${made.json<Interface>().id}`);
    expect(early.json()).toMatchObject({
      code: 'operation_in_progress',
      operation_id: made.json<Interface>().operation?.id,
    });
    await settle(app);
    expect((await vps.interfaces(vm.id)).map(({ status }) => status)).toEqual(Array(4).fill('active'));
  });
});

describe('an attach that fails', () => {
  it('frees the address and leaves no interface', async () => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'no slot is free' } as const;
    await addFault(app.services.db, { call: 'ensureNic', target: vm.id, effect, times: 1 });
    const answer = await attaching(vm.id, { network_id: network, ipv4: '10.20.0.9' });
    const { id, operation } = answer.json<Interface>();
    await settle(app);
    expect(await vps.operation(operation?.id ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed' },
    });
    expect((await vps.interfaces(vm.id)).map((each) => each.id)).not.toContain(id);
    expect(await vps.attach(vm.id, network, { ipv4: '10.20.0.9' })).toMatchObject({ status: 'active' });
  });

  it('because the machine is in error names that reason', async () => {
    const [vm, network] = [await vps.vm(), await vps.network()];
    const answer = await attaching(vm.id, { network_id: network });
    await app.services.db.updateTable('vms').set({ status: 'error' }).where('id', '=', vm.id).execute();
    await settle(app);
    expect(await vps.operation(answer.json<Interface>().operation?.id ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_state' },
    });
    expect(await vps.interfaces(vm.id)).toHaveLength(1);
  });

  it('is not reported as done if the engine only claims so', async () => {
    const [vm, network] = [await vps.vm(), await vps.network()];
    await addFault(app.services.db, { call: 'ensureNic', target: vm.id, effect: { kind: 'lie' }, times: 1 });
    const answer = await attaching(vm.id, { network_id: network });
    await settle(app);
    const operation = await vps.operation(answer.json<Interface>().operation?.id ?? '');
    expect(operation).toMatchObject({ status: 'running' });
    expect((await vps.interfaces(vm.id))[1]).toMatchObject({ status: 'attaching' });
  });
});

describe('changing an interface', () => {
  it('sets aliases, anti-spoofing and description, in the database and at the engine', async () => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
    const made = await vps.attach(vm.id, network, { alias_ips: ['10.20.0.50'] });
    const path = `vms/${vm.id}/interfaces/${made.id}`;
    const change = { alias_ips: ['10.20.0.51'], anti_spoofing: false, description: 'router' };
    const stale = await vps.send('PATCH', path, change, { 'if-match': '"other"' });
    expect(stale.statusCode).toBe(412);
    const answer = await vps.send('PATCH', path, change, { 'if-match': `"${made.etag}"` });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json()).toMatchObject({ ...change, status: 'updating' });
    await settle(app);
    const [, active] = await vps.interfaces(vm.id);
    expect(active).toMatchObject({ ...change, status: 'active', ipv4: made.ipv4, mac: made.mac });
    const nic = (await vps.instance(vm))?.nics[1];
    expect(nic).toMatchObject({ aliases: ['10.20.0.51'], antiSpoofing: false });
  });

  it('to its present values succeeds without a change', async () => {
    const [vm, network] = [await vps.vm(), await vps.network()];
    const made = await vps.attach(vm.id, network);
    const answer = await vps.send('PATCH', `vms/${vm.id}/interfaces/${made.id}`, { anti_spoofing: true });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      status: 'active',
      etag: made.etag,
      operation: { status: 'succeeded', result: { changed: false } },
    });
  });

  it('422: does not accept other addresses or another network', async () => {
    const [vm, network] = [await vps.vm(), await vps.network()];
    const made = await vps.attach(vm.id, network);
    const change = { ipv4: made.ipv4, ipv6: null, network_id: network };
    const answer = await vps.send('PATCH', `vms/${vm.id}/interfaces/${made.id}`, change);
    const { errors } = answer.json<{ errors: { pointer: string; code: string }[] }>();
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
      '/ipv4 immutable',
      '/ipv6 immutable',
      '/network_id immutable',
    ]);
  });

  it('409: an alias of another interface, unless move_aliases is set, which changes both in one operation', async () => {
    const [one, two] = [await vps.vm(), await vps.vm()];
    const network = await vps.network({ ipv4_cidr: '10.20.0.0/24' });
    const held = await vps.attach(one.id, network, { alias_ips: ['10.20.0.100', '10.20.0.101'] });
    const spare = await vps.attach(two.id, network);
    const path = `vms/${two.id}/interfaces/${spare.id}`;
    const taken = await vps.send('PATCH', path, { alias_ips: ['10.20.0.100'] });
    expect(taken.json()).toMatchObject({ status: 409, code: 'address_taken', existing_id: held.id });
    expect(taken.json().next_step).toContain('`move_aliases`');
    const moving = { alias_ips: ['10.20.0.100'], move_aliases: true };
    const dry = await vps.send('PATCH', `${path}?dry_run=true`, moving);
    expect(dry.json().effects).toMatchObject([
      { action: 'update', type: 'interface', id: spare.id, name: null },
      { action: 'update', type: 'interface', id: held.id, name: null, loss: { recoverable: true } },
    ]);
    await vps.do('PATCH', path, { alias_ips: ['10.20.0.100'], move_aliases: true });
    expect((await vps.interfaces(two.id))[1]?.alias_ips).toEqual(['10.20.0.100']);
    expect((await vps.interfaces(one.id))[1]).toMatchObject({ id: held.id, alias_ips: ['10.20.0.101'] });
    expect((await vps.instance(one))?.nics[1]?.aliases).toEqual(['10.20.0.101']);
    expect((await vps.instance(two))?.nics[1]?.aliases).toEqual(['10.20.0.100']);
  });

  it('that fails restores everything, including aliases of another interface', async () => {
    const [one, two] = [await vps.vm(), await vps.vm()];
    const network = await vps.network({ ipv4_cidr: '10.20.0.0/24' });
    await vps.attach(one.id, network, { alias_ips: ['10.20.0.100'] });
    const spare = await vps.attach(two.id, network, { alias_ips: ['10.20.0.60'] });
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'no' } as const;
    await addFault(app.services.db, { call: 'ensureNic', target: two.id, effect, times: 1 });
    const change = { alias_ips: ['10.20.0.100'], move_aliases: true, description: 'gone again' };
    await vps.do('PATCH', `vms/${two.id}/interfaces/${spare.id}`, change);
    expect((await vps.interfaces(one.id))[1]).toMatchObject({ alias_ips: ['10.20.0.100'] });
    expect((await vps.interfaces(two.id))[1]).toMatchObject({
      status: 'active',
      alias_ips: ['10.20.0.60'],
      description: '',
    });
  });

  it('422: does not accept addresses of the public interface', async () => {
    const vm = await vps.vm();
    const [front] = vm.interfaces;
    const path = `vms/${vm.id}/interfaces/${front?.id}`;
    const answer = await vps.send('PATCH', path, { alias_ips: ['10.20.0.9'] });
    expect(answer.json().errors).toEqual([
      expect.objectContaining({ pointer: '/alias_ips', code: 'incompatible' }),
    ]);
    const outside = await vps.send('PATCH', path, { alias_ips: ['203.0.113.99'] });
    expect(outside.json().errors).toMatchObject([{ pointer: '/alias_ips/0', code: 'out_of_range' }]);
    expect((await vps.send('PATCH', path, { description: 'front' })).statusCode).toBe(202);
  });
});

describe('detaching', () => {
  it('removes the interface from the machine and from the network', async () => {
    const [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
    const made = await vps.attach(vm.id, network);
    const answer = await vps.send('DELETE', `vms/${vm.id}/interfaces/${made.id}`);
    expect(answer.json()).toMatchObject({ status: 'detaching', operation: { type: 'interface.detach' } });
    await settle(app);
    expect(await vps.interfaces(vm.id)).toHaveLength(1);
    expect((await vps.instance(vm))?.nics).toHaveLength(1);
    expect((await vps.send('DELETE', `vms/${vm.id}/interfaces/${made.id}`)).statusCode).toBe(404);
    expect(await vps.attach(vm.id, network)).toMatchObject({ ipv4: '10.20.0.2', index: 1 });
  });

  it('409: is refused for the public interface', async () => {
    const vm = await vps.vm();
    const answer = await vps.send('DELETE', `vms/${vm.id}/interfaces/${vm.interfaces[0]?.id}`);
    expect(answer.json()).toMatchObject({ status: 409, code: 'invalid_state' });
  });

  it('that fails leaves the interface unchanged', async () => {
    const [vm, network] = [await vps.vm(), await vps.network()];
    const made = await vps.attach(vm.id, network);
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'no' } as const;
    await addFault(app.services.db, { call: 'removeNic', target: vm.id, effect, times: 1 });
    await vps.do('DELETE', `vms/${vm.id}/interfaces/${made.id}`);
    expect((await vps.interfaces(vm.id))[1]).toMatchObject({ id: made.id, status: 'active' });
  });
});

it('an interface is visible only under its own machine and account', async () => {
  const [one, two] = [await vps.vm(), await vps.vm()];
  const made = await vps.attach(one.id, await vps.network());
  expect((await vps.send('PATCH', `vms/${two.id}/interfaces/${made.id}`, {})).statusCode).toBe(404);
  expect((await vps.send('DELETE', `vms/${two.id}/interfaces/${made.id}`)).statusCode).toBe(404);
  const other = await VpsAccount.open(app);
  expect((await other.send('GET', `vms/${one.id}/interfaces`)).statusCode).toBe(404);
  expect((await other.send('DELETE', `vms/${one.id}/interfaces/${made.id}`)).statusCode).toBe(404);
});

it('a call with Prefer: wait returns the interface in its final state', async () => {
  const [vm, network] = [await vps.vm(), await vps.network()];
  let isAnswered = false;
  const answer = vps
    .send('POST', `vms/${vm.id}/interfaces`, { network_id: network }, { prefer: 'wait=30' })
    .finally(() => {
      isAnswered = true;
    });
  while (!isAnswered) {
    await settle(app);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect((await answer).statusCode).toBe(200);
  expect((await answer).json()).toMatchObject({
    status: 'active',
    network_id: network,
    operation: { status: 'succeeded' },
  });
});
