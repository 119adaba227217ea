import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Nic } from '../../../engines/compute/port.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { interfaceDrift } from './drift.ts';

let app: TestApp;
let vps: VpsAccount;
let vm: Vm;
let network: string;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  await clearFaults(app.services.db);
  vps = await VpsAccount.open(app);
  [vm, network] = [await vps.vm(), await vps.network({ ipv4_cidr: '10.20.0.0/24' })];
});

const engine = () => {
  const found = app.services.compute.at('fra1');
  if (found === undefined) throw new Error('There is an engine in fra1.');
  return found;
};
const ref = () => ({ account: vps.account.id, id: vm.id });
const nics = async (): Promise<readonly Nic[]> => (await vps.instance(vm))?.nics ?? [];
const nicOf = async (id: string): Promise<Nic | undefined> => (await nics()).find((nic) => nic.id === id);
const stray = (): Nic => ({
  id: 'nic_01jqzv2m7xe9rs5d3k8w4t6y0b',
  index: 5,
  network,
  mac: '02:00:00:00:00:01',
  ipv4: '10.20.0.200',
  ipv6: null,
  aliases: [],
  antiSpoofing: true,
});

describe('interfaces at the engine', () => {
  it('that nobody knows are taken out', async () => {
    await engine().ensureNic(ref(), stray());
    expect(await nics()).toHaveLength(2);
    await interfaceDrift.run(app.services);
    expect((await nics()).map(({ id }) => id)).toEqual([vm.interfaces[0]?.id]);
  });

  it('that are lost are put back as they were', async () => {
    const made = await vps.attach(vm.id, network, { alias_ips: ['10.20.0.50'] });
    const before = await nics();
    await engine().removeNic(ref(), made.id);
    await interfaceDrift.run(app.services);
    expect(await nics()).toEqual(before);
  });

  it('that lead elsewhere are put right, the public one with its prefix', async () => {
    const [front] = vm.interfaces;
    const before = await nicOf(front?.id ?? '');
    if (before === undefined) throw new Error('It has a public interface.');
    await engine().ensureNic(ref(), { ...before, ipv4: '203.0.113.99', aliases: [] });
    await interfaceDrift.run(app.services);
    expect(await nicOf(before.id)).toEqual(before);
  });

  it('that are on their way are left to whatever works on them', async () => {
    const answer = await vps.send('POST', `vms/${vm.id}/interfaces`, { network_id: network });
    const { id } = answer.json<{ id: string }>();
    const [front] = vm.interfaces;
    await engine().removeNic(ref(), front?.id ?? '');
    await interfaceDrift.run(app.services);
    expect(await nics()).toEqual([]);
    await settle(app);
    await interfaceDrift.run(app.services);
    expect((await nics()).map((nic) => nic.id)).toEqual([front?.id, id]);
  });

  it('of machines nobody knows are not touched', async () => {
    const unknown = { account: vps.account.id, id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b' };
    const spec = {
      source: { image: { account: null, id: 'ubuntu-24.04' } },
      architecture: 'amd64' as const,
      size: { vcpus: 1, memoryMb: 1024, diskGb: 20 },
      nics: [stray()],
      guest: { seed: 'a', hostname: 'a', userData: null, sshKeys: [], passwordHash: null },
      bootMode: 'uefi' as const,
      secureBoot: false,
      placement: null,
    };
    await engine().ensureInstance(unknown, spec);
    await interfaceDrift.run(app.services);
    expect((await engine().observeInstance(unknown))?.nics).toEqual([stray()]);
  });

  it('of a place that does not answer wait for the next look', async () => {
    await engine().ensureNic(ref(), stray());
    await addFault(app.services.db, { call: 'observeInstances', effect: { kind: 'unreachable' }, times: 3 });
    await interfaceDrift.run(app.services);
    expect(await nics()).toHaveLength(2);
  });
});
