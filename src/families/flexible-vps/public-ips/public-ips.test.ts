import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault } from '../../../engines/compute/sandbox/store.ts';
import { type PublicAddressRow, readAddress } from '../../../resources/addresses/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  vps = await VpsAccount.open(app);
});

const textOf = ({ block }: PublicAddressRow): string => block.replace(/\/32$/, '');
const attaching = (vm: Pick<Vm, 'id'>, body: object) => vps.send('POST', `vms/${vm.id}/public-ips`, body);
const attach = (vm: Pick<Vm, 'id'>, body: object) => vps.do<Vm>('POST', `vms/${vm.id}/public-ips`, body);
const detach = (vm: Pick<Vm, 'id'>, id = '') => vps.do<Vm>('DELETE', `vms/${vm.id}/public-ips/${id}`);
const ipsOf = async ({ id }: Pick<Vm, 'id'>) =>
  (await vps.readVm(id)).public_ips.map(({ address }) => address);
const frontOf = async (vm: Pick<Vm, 'id' | 'location'>) =>
  (await vps.instance(vm))?.nics.find(({ network }) => network === null);
const refusing = { kind: 'fail', code: 'engine_failed', detail: 'no' } as const;

describe('attaching a reserved address', () => {
  it('routes it to the public interface, in addition to the first address', async () => {
    const [vm, ip] = [await vps.vm(), await vps.reserveAddress()];
    const answer = await attaching(vm, { ip_id: ip.id });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json()).toMatchObject({
      id: vm.id,
      status: 'running',
      operation: { type: 'public_ip.attach', resource: { type: 'vm', id: vm.id } },
    });
    await settle(app);
    const after = await vps.readVm(vm.id);
    expect(after.public_ips.at(-1)).toEqual({
      ip_id: ip.id,
      address: textOf(ip),
      version: 4,
      kind: 'reserved',
      interface_id: vm.interfaces[0]?.id,
    });
    expect(after).toMatchObject({ primary_ipv4: vm.primary_ipv4, operation: null, price: vm.price });
    expect(after.etag).not.toBe(vm.etag);
    expect((await frontOf(vm))?.aliases).toEqual([textOf(ip), vm.ipv6_prefix]);
    const events = await app.call({ url: '/account/v1/events?types=address.*', key: vps.key });
    expect(events.json().data).toEqual([
      expect.objectContaining({
        type: 'address.assigned',
        resource: expect.objectContaining({ id: ip.id }),
      }),
    ]);
  });

  it('to a machine without a public interface creates one', async () => {
    const network = await vps.network();
    const body = { public_ipv4: { mode: 'none' }, public_ipv6: false, networks: [{ network_id: network }] };
    const [vm, four, six] = [
      await vps.vm(body),
      await vps.reserveAddress(),
      await vps.reserveAddress({ version: 6 }),
    ];
    expect(vm.interfaces).toHaveLength(1);
    await attach(vm, { ip_id: four.id });
    await attach(vm, { ip_id: six.id });
    const after = await vps.readVm(vm.id);
    expect(after.interfaces[1]).toMatchObject({
      kind: 'public',
      index: 1,
      status: 'active',
      ipv4: textOf(four),
    });
    expect(after).toMatchObject({
      primary_ipv4: textOf(four),
      primary_ipv6: six.block.replace('::/64', '::1'),
      ipv6_prefix: six.block,
    });
    expect(await frontOf(vm)).toMatchObject({ ipv4: textOf(four), aliases: [six.block] });
  });

  it('that the machine already has succeeds without a change', async () => {
    const vm = await vps.vm();
    const answer = await attaching(vm, { ip_id: vm.public_ips[0]?.ip_id });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      etag: vm.etag,
      operation: { status: 'succeeded', result: { changed: false } },
    });
  });

  it('422: refuses an address that does not exist, is of another account or location, or belongs to a machine', async () => {
    const [vm, other] = [await vps.vm(), await vps.vm()];
    const far = await vps.reserveAddress({ location: 'ams1' });
    const mine = vps;
    vps = await VpsAccount.open(app);
    const foreign = await vps.reserveAddress();
    vps = mine;
    const outcome = async (ip_id: string | undefined, move = false) =>
      (await attaching(vm, { ip_id, move })).json().errors?.map((e: { code: string }) => e.code);
    expect(await outcome(foreign.id)).toEqual(['unknown_reference']);
    expect(await outcome(far.id.replace(/.{3}$/, '000'))).toEqual(['unknown_reference']);
    expect(await outcome(far.id)).toEqual(['location_mismatch']);
    expect(await outcome(other.public_ips[0]?.ip_id, true)).toEqual(['incompatible']);
  });

  it('409: refuses too many addresses for one machine, or too many queued operations', async () => {
    const vm = await vps.vm();
    const ips: PublicAddressRow[] = [];
    for (let i = 0; i < 15; i++) ips.push(await vps.reserveAddress());
    const send = async (from: number, to: number) => {
      const codes = [];
      for (const { id } of ips.slice(from, to)) codes.push((await attaching(vm, { ip_id: id })).statusCode);
      return codes;
    };
    expect(await send(0, 8)).toEqual(Array(8).fill(202));
    expect((await attaching(vm, { ip_id: ips[8]?.id })).json()).toMatchObject({
      code: 'operation_queue_full',
    });
    await settle(app);
    expect(await send(8, 14)).toEqual(Array(6).fill(202));
    expect((await attaching(vm, { ip_id: ips[14]?.id })).json()).toMatchObject({
      code: 'quota_exceeded',
      limit_id: 'flexible-vps.public-ips-per-vm',
      limit: 16,
      used: 16,
    });
    await settle(app);
    expect(await ipsOf(vm)).toHaveLength(16);
  });
});

describe('moving an address', () => {
  it('409: is refused while another machine has it, unless move is set, which moves it in one operation', async () => {
    const [one, two, ip] = [await vps.vm(), await vps.vm(), await vps.reserveAddress()];
    await attach(one, { ip_id: ip.id });
    const refused = await attaching(two, { ip_id: ip.id });
    expect(refused.json()).toMatchObject({ status: 409, code: 'already_attached', attached_to: one.id });
    const dry = await vps.send('POST', `vms/${two.id}/public-ips?dry_run=true`, { ip_id: ip.id, move: true });
    expect(dry.json().effects.map(({ id }: { id: string }) => id)).toEqual([two.id, one.id]);
    const answer = await attaching(two, { ip_id: ip.id, move: true });
    expect(answer.statusCode, answer.body).toBe(202);
    const { id } = answer.json<Vm>().operation ?? { id: '' };
    expect((await vps.readVm(one.id)).operation?.id, 'it holds both queues').toBe(id);
    await settle(app);
    expect(await ipsOf(one)).not.toContain(textOf(ip));
    expect(await ipsOf(two)).toContain(textOf(ip));
    expect((await frontOf(one))?.aliases).toEqual([one.ipv6_prefix]);
    expect((await frontOf(two))?.aliases).toEqual([textOf(ip), two.ipv6_prefix]);
    expect(await vps.operation(id)).toMatchObject({
      status: 'succeeded',
      result: { changed: true },
      related: [
        { type: 'vm', id: one.id },
        { type: 'address', id: ip.id },
      ],
    });
  });

  it('that cannot be removed from the first machine stays there', async () => {
    const [one, two, ip] = [await vps.vm(), await vps.vm(), await vps.reserveAddress()];
    await attach(one, { ip_id: ip.id });
    await addFault(app.services.db, { call: 'ensureNic', target: one.id, effect: refusing, times: 1 });
    const { operation } = await attach(two, { ip_id: ip.id, move: true });
    expect(await vps.operation(operation?.id ?? '')).toMatchObject({ status: 'failed' });
    expect((await vps.readVm(one.id)).public_ips.at(-1)).toMatchObject({
      ip_id: ip.id,
      interface_id: one.interfaces[0]?.id,
    });
    expect(await ipsOf(two)).not.toContain(textOf(ip));
  });

  it('that cannot be added to the second machine returns to the first, without a leftover interface', async () => {
    const network = await vps.network();
    const bare = { public_ipv4: { mode: 'none' }, public_ipv6: false, networks: [{ network_id: network }] };
    const [one, two, ip] = [await vps.vm(), await vps.vm(bare), await vps.reserveAddress()];
    await attach(one, { ip_id: ip.id });
    await addFault(app.services.db, { call: 'ensureNic', target: two.id, effect: refusing, times: 1 });
    const { operation } = await attach(two, { ip_id: ip.id, move: true });
    expect(await vps.operation(operation?.id ?? '')).toMatchObject({ status: 'failed' });
    expect((await vps.readVm(one.id)).public_ips.at(-1)).toMatchObject({
      ip_id: ip.id,
      interface_id: one.interfaces[0]?.id,
    });
    expect((await frontOf(one))?.aliases).toContain(textOf(ip));
    expect((await vps.readVm(two.id)).interfaces).toHaveLength(1);
    await attach(two, { ip_id: ip.id, move: true });
    expect(await ipsOf(two)).toEqual([textOf(ip)]);
  });

  it('409: to two machines at the same time is refused for the second', async () => {
    const [one, two, ip] = [await vps.vm(), await vps.vm(), await vps.reserveAddress()];
    const first = (await attaching(one, { ip_id: ip.id })).json<Vm>().operation?.id ?? '';
    expect((await attaching(two, { ip_id: ip.id })).json()).toMatchObject({
      code: 'operation_in_progress',
      operation_id: first,
    });
    await settle(app);
    expect(await ipsOf(one)).toContain(textOf(ip));
  });
});

describe('detaching an address', () => {
  it('that is reserved keeps it for the account', async () => {
    const [vm, ip] = [await vps.vm(), await vps.reserveAddress()];
    await attach(vm, { ip_id: ip.id });
    await detach(vm, ip.id);
    expect(await ipsOf(vm)).not.toContain(textOf(ip));
    expect((await frontOf(vm))?.aliases).toEqual([vm.ipv6_prefix]);
    expect(await readAddress(app.services.db, ip.id)).toMatchObject({
      account_id: vps.account.id,
      vm_id: null,
    });
    expect((await vps.readVm(vm.id)).price).toEqual(vm.price);
  });

  it('that is ephemeral releases it and lowers the price, as the dry run said', async () => {
    const vm = await vps.vm();
    const ip = vm.public_ips.find(({ version }) => version === 4);
    const dry = await vps.send('DELETE', `vms/${vm.id}/public-ips/${ip?.ip_id}?dry_run=true`);
    const { cost } = dry.json<{ cost: { monthly: string } }>();
    expect(Number(cost.monthly)).toBeLessThan(0);
    await detach(vm, ip?.ip_id);
    const after = await vps.readVm(vm.id);
    expect(after).toMatchObject({ primary_ipv4: null, primary_ipv6: vm.primary_ipv6 });
    expect(after.interfaces[0]).toMatchObject({ kind: 'public', ipv4: null });
    expect(Number(after.price.monthly) - Number(vm.price.monthly)).toBeCloseTo(Number(cost.monthly), 2);
    expect(await frontOf(vm)).toMatchObject({ ipv4: null });
    expect(await readAddress(app.services.db, ip?.ip_id ?? '')).toBeUndefined();
    const { quarantined_until } = await app.services.db
      .selectFrom('public_addresses')
      .select('quarantined_until')
      .where('id', '=', ip?.ip_id ?? '')
      .executeTakeFirstOrThrow();
    expect((quarantined_until?.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const resources = await app.call({ url: '/account/v1/resources?type=vm', key: vps.key });
    expect(resources.json().data[0].price.monthly).toBe(after.price.monthly);
  });

  it('that fails leaves it attached', async () => {
    const vm = await vps.vm();
    await addFault(app.services.db, { call: 'ensureNic', target: vm.id, effect: refusing, times: 1 });
    await detach(vm, vm.public_ips[0]?.ip_id);
    const after = await vps.readVm(vm.id);
    expect(after.public_ips).toEqual(vm.public_ips);
    expect(after.price).toEqual(vm.price);
  });

  it('404 for an address of another machine; 412 with an old ETag', async () => {
    const [vm, other, ip] = [await vps.vm(), await vps.vm(), await vps.reserveAddress()];
    const outcome = async (ipId = '', headers = {}) =>
      (await vps.send('DELETE', `vms/${vm.id}/public-ips/${ipId}`, undefined, headers)).statusCode;
    expect(await outcome(ip.id)).toBe(404);
    expect(await outcome(other.public_ips[0]?.ip_id)).toBe(404);
    expect(await outcome(vm.public_ips[0]?.ip_id, { 'if-match': `"${other.etag}"` })).toBe(412);
    expect(await outcome(vm.public_ips[0]?.ip_id, { 'if-match': `"${vm.etag}"` })).toBe(202);
  });
});

it('deleting a machine releases its ephemeral addresses and keeps the reserved ones', async () => {
  const [vm, ip] = [await vps.vm(), await vps.reserveAddress()];
  await attach(vm, { ip_id: ip.id });
  await vps.do('DELETE', `vms/${vm.id}`);
  expect(await readAddress(app.services.db, ip.id)).toMatchObject({ vm_id: null, interface_id: null });
  expect(await readAddress(app.services.db, vm.public_ips[0]?.ip_id ?? '')).toBeUndefined();
});

describe('the MAC of a public interface', () => {
  const macOf = (vm: Vm) => vm.interfaces.find(({ kind }) => kind === 'public')?.mac;
  const with4 = ({ id }: PublicAddressRow) => ({ public_ipv4: { mode: 'reserved', ip_id: id } });

  it('is derived from its IPv4 address: the next machine with the address has the same', async () => {
    const address = await vps.reserveAddress();
    const first = await vps.vm(with4(address));
    await vps.do('DELETE', `vms/${first.id}`);
    const second = await vps.vm(with4(address));
    expect(second.primary_ipv4).toBe(first.primary_ipv4);
    expect(macOf(second)).toBe(macOf(first));
  });

  it('is a different one while the first interface of the address still exists', async () => {
    const address = await vps.reserveAddress();
    const first = await vps.vm(with4(address));
    await vps.do('DELETE', `vms/${first.id}/public-ips/${address.id}?confirm=${first.name}`);
    const second = await vps.vm(with4(address));
    expect(second.primary_ipv4).toBe(textOf(address));
    expect(macOf(await vps.readVm(first.id))).toBe(macOf(first));
    expect(macOf(second)).not.toBe(macOf(first));
    expect(macOf(second)).toMatch(/^02(:[0-9a-f]{2}){5}$/);
  });
});
