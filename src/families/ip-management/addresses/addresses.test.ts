import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Address } from './schema.ts';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  vps = await VpsAccount.open(app);
});

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const send = (method: Method, path: string, payload?: object, headers: Record<string, string> = {}) =>
  app.call({
    method,
    url: `/ip-management/v1/addresses${path}`,
    headers,
    key: vps.key,
    ...(payload ? { payload } : {}),
  });

async function act(method: Method, path: string, payload?: object): Promise<Address> {
  const answer = await send(method, path, payload);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return answer.json<Address>();
}

const read = async (id: string) => (await send('GET', `/${id}`)).json<Address>();

async function reserve(body: object = {}): Promise<Address> {
  const { id } = await act('POST', '', { location: 'fra1', family: 'ipv4', ...body });
  return read(id);
}

const at = (vm: { id: string }, more: object = {}) => ({ target: { type: 'vm', id: vm.id }, ...more });
const assign = (address: { id: string }, body: object) => act('PUT', `/${address.id}/assignment`, body);
const ipsOf = async ({ id }: { id: string }) =>
  (await vps.readVm(id)).public_ips.map(({ address }) => address);
const aliasesOf = async (vm: { id: string; location: string }) =>
  (await vps.instance(vm))?.nics.find(({ network }) => network === null)?.aliases ?? [];
const typesOf = async (id: string) => {
  const { rows } = await sql<{ type: string }>`
    select type from events where resource_id = ${id} and type like 'address.%' order by sequence`.execute(
    app.services.db,
  );
  return rows.map(({ type }) => type);
};
const refusing = { kind: 'fail', code: 'engine_failed', detail: 'no' } as const;
const codeOf = (answer: { json(): { code?: string; errors?: { code: string }[] } }) =>
  answer.json().errors?.[0]?.code ?? answer.json().code;

describe('reserving an address', () => {
  it('makes it available, billed, and named after itself', async () => {
    const answer = await send('POST', '', { location: 'fra1', family: 'ipv4' });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json()).toMatchObject({ status: 'reserving', operation: { type: 'address.reserve' } });
    await settle(app);
    const address = await read(answer.json().id);
    expect(address).toMatchObject({
      status: 'available',
      kind: 'reserved',
      family: 'ipv4',
      name: address.address.replaceAll('.', '-'),
      cidr: `${address.address}/32`,
      prefix_length: 32,
      gateway: expect.stringMatching(/^[\d.]+\.1$/),
      netmask: expect.stringMatching(/^255\./),
      assignment: null,
      routing: 'normal',
      releasable: true,
      price: { monthly: '0.50' },
      operation: null,
    });
    expect(await typesOf(address.id)).toEqual(['address.reserved']);
    const listed = await app.call({ url: '/account/v1/resources?type=address', key: vps.key });
    expect(listed.json().data).toMatchObject([
      { id: address.id, name: address.name, price: { monthly: '0.50' } },
    ]);
    expect(await read(address.address)).toEqual(address);
  });

  it('of IPv6 gives a prefix for a machine, which an address in it finds', async () => {
    const prefix = await reserve({ family: 'ipv6' });
    expect(prefix).toMatchObject({ prefix_length: 64, gateway: null, price: { monthly: '0.00' } });
    expect(prefix.address).toBe(prefix.cidr.replace('::/64', '::1'));
    expect((await read(prefix.cidr.replace('::/64', '::abc'))).id).toBe(prefix.id);
    const found = await send('GET', `?contains=${prefix.cidr.replace('::/64', '::7')}&family=ipv6`);
    expect(found.json().data.map(({ id }: Address) => id)).toEqual([prefix.id]);
  });

  it('and assigning it at once does both in one operation', async () => {
    const vm = await vps.vm();
    const address = await reserve({ assign_to: { type: 'vm', id: vm.id } });
    expect(address).toMatchObject({ status: 'assigned', assignment: { id: vm.id, name: vm.name } });
    expect(await ipsOf(vm)).toContain(address.address);
    expect(await aliasesOf(vm)).toContain(address.address);
    expect(await typesOf(address.id)).toEqual(['address.assigned', 'address.reserved']);
  });

  it('that cannot be assigned stays in error and unbilled, until it is released', async () => {
    const vm = await vps.vm();
    await addFault(app.services.db, { call: 'ensureNic', target: vm.id, effect: refusing, times: 1 });
    const address = await reserve({ assign_to: { type: 'vm', id: vm.id } });
    expect(address).toMatchObject({ status: 'error', assignment: null, provisioned_at: null });
    expect(address.price.monthly).toBe('0.00');
    expect(await ipsOf(vm)).not.toContain(address.address);
    expect(codeOf(await send('PUT', `/${address.id}/assignment`, at(vm)))).toBe('invalid_state');
    await act('DELETE', `/${address.id}`);
    expect((await send('GET', `/${address.id}`)).statusCode).toBe(404);
  });

  it.each([
    ['ipv4', 29, /\/29$/, 'subnet'],
    ['ipv4', 28, /\/28$/, 'subnet'],
    ['ipv6', 56, /::\/56$/, 'subnet'],
    ['ipv6', 48, /::\/48$/, 'subnet'],
  ])('of %s with the length %i gives such a block', async (family, prefix_length, cidr, kind) => {
    const justification = 'Addresses for the mail servers of our customers.';
    const block = await reserve({ family, prefix_length, justification });
    expect(block).toMatchObject({ kind, prefix_length, justification, gateway: null });
    expect(block.cidr).toMatch(cidr);
    const refused = await send('PUT', `/${block.id}/assignment`, at(await vps.vm()));
    expect(codeOf(refused)).toBe('incompatible');
  });

  it('422: of a length that is not offered, of a large block without a reason, or elsewhere', async () => {
    const outcome = async (body: object) => codeOf(await send('POST', '', { location: 'fra1', ...body }));
    expect(await outcome({ family: 'ipv4', prefix_length: 29 })).toBe('required');
    const justification = 'Addresses for the mail servers of our customers.';
    expect(await outcome({ family: 'ipv4', prefix_length: 30, justification })).toBe('out_of_range');
    expect(await outcome({ family: 'ipv6', prefix_length: 48 })).toBe('required');
    expect(await outcome({ family: 'ipv4', location: 'mars1' })).toBe('unknown_reference');
  });

  it('409: a taken name, and more than the limit allows', async () => {
    await reserve({ name: 'shop' });
    const body = { location: 'fra1', family: 'ipv4' };
    expect(codeOf(await send('POST', '', { ...body, name: 'shop' }))).toBe('name_taken');
    await app.services.db
      .insertInto('account_limits')
      .values({ account_id: vps.account.id, limit_id: 'ip-management.ipv4-addresses', value: 1 })
      .execute();
    expect((await send('POST', '', body)).json()).toMatchObject({ code: 'quota_exceeded', used: 1 });
  });
});

describe('releasing an address', () => {
  it('keeps it for its account, which takes it back by name', async () => {
    const address = await reserve({ name: 'shop' });
    await act('DELETE', `/${address.id}`);
    expect((await send('GET', `/${address.id}`)).statusCode).toBe(404);
    const listed = await app.call({ url: '/account/v1/resources?type=address', key: vps.key });
    expect(listed.json().data).toEqual([]);
    expect(await typesOf(address.id)).toEqual(['address.reserved', 'address.released']);
    const back = await reserve({ address: address.address });
    expect(back).toMatchObject({ cidr: address.cidr, status: 'available' });
    expect(back.id).not.toBe(address.id);
  });

  it('409: taking an address that another account released, or that somebody has', async () => {
    const address = await reserve();
    const body = { location: 'fra1', family: 'ipv4', address: address.address };
    expect(codeOf(await send('POST', '', body))).toBe('address_taken');
    await act('DELETE', `/${address.id}`);
    vps = await VpsAccount.open(app);
    expect(codeOf(await send('POST', '', body))).toBe('address_taken');
  });

  it('409: while a machine has it, unless detach is set; or protected; or ephemeral', async () => {
    const [vm, address] = [await vps.vm(), await reserve()];
    await assign(address, at(vm));
    expect((await send('DELETE', `/${address.id}`)).json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [{ type: 'vm', id: vm.id, name: vm.name }],
    });
    await send('PATCH', `/${address.id}`, { protection: { delete: true } });
    expect(codeOf(await send('DELETE', `/${address.id}?detach=true`))).toBe('resource_protected');
    await send('PATCH', `/${address.id}`, { protection: { delete: false } });
    const own = vm.public_ips[0]?.ip_id ?? '';
    expect(codeOf(await send('DELETE', `/${own}`))).toBe('not_releasable');
    await act('DELETE', `/${address.id}?detach=true`);
    expect(await ipsOf(vm)).not.toContain(address.address);
    expect(await aliasesOf(vm)).not.toContain(address.address);
    expect(await typesOf(address.id)).toEqual([
      'address.reserved',
      'address.assigned',
      'address.updated',
      'address.updated',
      'address.unassigned',
      'address.released',
    ]);
  });

  it('that fails leaves it where it was', async () => {
    const [vm, address] = [await vps.vm(), await reserve()];
    await assign(address, at(vm));
    await addFault(app.services.db, { call: 'ensureNic', target: vm.id, effect: refusing, times: 1 });
    await act('DELETE', `/${address.id}?detach=true`);
    expect(await read(address.id)).toMatchObject({ status: 'assigned', assignment: { id: vm.id } });
    expect(await ipsOf(vm)).toContain(address.address);
  });
});

describe('assigning an address', () => {
  it('moves it in one operation, and tells so', async () => {
    const [one, two, address] = [await vps.vm(), await vps.vm(), await reserve()];
    await assign(address, at(one));
    const refused = await send('PUT', `/${address.id}/assignment`, at(two));
    expect(refused.json()).toMatchObject({ code: 'already_attached', attached_to: one.id });
    await assign(address, at(two, { move: true }));
    expect(await read(address.id)).toMatchObject({ status: 'assigned', assignment: { id: two.id } });
    expect(await aliasesOf(one)).not.toContain(address.address);
    expect(await aliasesOf(two)).toContain(address.address);
    expect((await typesOf(address.id)).slice(-2)).toEqual(['address.assigned', 'address.moved']);
    expect((await assign(address, at(two))).operation).toMatchObject({ result: { changed: false } });
    await assign(address, { target: null });
    expect(await read(address.id)).toMatchObject({ status: 'available', assignment: null });
    expect((await assign(address, { target: null })).operation).toMatchObject({ result: { changed: false } });
  });

  it('leads it back if the other machine refuses it', async () => {
    const [one, two, address] = [await vps.vm(), await vps.vm(), await reserve()];
    await assign(address, at(one));
    await addFault(app.services.db, { call: 'ensureNic', target: two.id, effect: refusing, times: 1 });
    const { operation } = await assign(address, at(two, { move: true }));
    expect(await vps.operation(operation?.id ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed' },
    });
    expect(await read(address.id)).toMatchObject({ status: 'assigned', assignment: { id: one.id } });
    expect(await aliasesOf(one)).toContain(address.address);
    expect(await aliasesOf(two)).not.toContain(address.address);
  });

  it('412: of two callers that move it at the same time, one succeeds', async () => {
    const [one, two, address] = [await vps.vm(), await vps.vm(), await reserve()];
    const answers = await Promise.all(
      [one, two].map((vm) =>
        send('PUT', `/${address.id}/assignment`, at(vm, { move: true }), {
          'if-match': `"${address.etag}"`,
        }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 412]);
    await settle(app);
    expect((await read(address.id)).status).toBe('assigned');
  });

  it('is the same as at the machine: its calls change the etag and follow each other', async () => {
    const [vm, address] = [await vps.vm(), await reserve()];
    const answer = await vps.send('POST', `vms/${vm.id}/public-ips`, { ip_id: address.id });
    const busy = await read(address.id);
    expect(busy).toMatchObject({ status: 'assigning', operation: { id: answer.json().operation.id } });
    expect(busy.etag).not.toBe(address.etag);
    const again = await send('PUT', `/${address.id}/assignment`, at(vm));
    expect(again.json().operation.id).toBe(answer.json().operation.id);
    await settle(app);
    expect(await read(address.id)).toMatchObject({ status: 'assigned', assignment: { id: vm.id } });
    await vps.do('DELETE', `vms/${vm.id}`);
    expect(await read(address.id)).toMatchObject({ status: 'available', assignment: null });
  });

  it('404 and 422: not of strangers', async () => {
    const address = await reserve();
    const mine = vps;
    vps = await VpsAccount.open(app);
    const theirs = await vps.vm();
    expect((await send('PUT', `/${address.id}/assignment`, at(theirs))).statusCode).toBe(404);
    expect((await send('GET', `/${address.address}`)).statusCode).toBe(404);
    vps = mine;
    expect(codeOf(await send('PUT', `/${address.id}/assignment`, at(theirs)))).toBe('unknown_reference');
  });
});

describe('an ephemeral address', () => {
  it('is kept when it becomes a reserved one, at its own price, as the dry run said', async () => {
    const vm = await vps.vm();
    const own = vm.public_ips.find(({ version }) => version === 4);
    const path = `/${own?.ip_id}`;
    expect(await read(own?.ip_id ?? '')).toMatchObject({ kind: 'ephemeral', assignment: { id: vm.id } });
    const dry = (await send('PATCH', `${path}?dry_run=true`, { kind: 'reserved' })).json();
    const answer = await send('PATCH', path, { kind: 'reserved' });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({ kind: 'reserved', releasable: true, price: { monthly: '0.50' } });
    const cheaper = Number(vm.price.monthly) - Number((await vps.readVm(vm.id)).price.monthly);
    expect(Number(dry.cost.monthly)).toBeCloseTo(0.5 - cheaper, 2);
    await vps.do('DELETE', `vms/${vm.id}`);
    expect(await read(own?.ip_id ?? '')).toMatchObject({ status: 'available', assignment: null });
  });

  it('422: is not unassigned, and a VPN gateway keeps its own', async () => {
    const vm = await vps.vm();
    const own = vm.public_ips[0]?.ip_id;
    expect(codeOf(await send('PUT', `/${own}/assignment`, { target: null }))).toBe('incompatible');
    const network = await vps.network();
    const gateway = await vps.do<{ id: string }>('POST', 'vpn-gateways', {
      name: 'office',
      location: 'fra1',
      network_ids: [network],
    });
    const held: Address[] = (await send('GET', '')).json().data;
    const its = held.filter(({ assignment }) => assignment?.id === gateway.id);
    expect(its.map(({ assignment }) => assignment?.type)).toEqual(['vpn_gateway', 'vpn_gateway']);
    expect(codeOf(await send('PATCH', `/${its[0]?.id}`, { kind: 'reserved' }))).toBe('incompatible');
  });
});
