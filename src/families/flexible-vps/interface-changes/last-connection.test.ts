import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

const NO_PUBLIC = { public_ipv4: { mode: 'none' }, public_ipv6: false };

const withNetworks = (...ids: string[]): Promise<Vm> =>
  vps.vm({ ...NO_PUBLIC, networks: ids.map((network_id) => ({ network_id })) });
const withAddress = async (): Promise<Vm> =>
  vps.vm({ public_ipv4: { mode: 'reserved', ip_id: (await vps.reserveAddress()).id }, public_ipv6: false });
const nameOf = async (network: string): Promise<string> =>
  (await vps.send('GET', `networks/${network}`)).json().name;

/** A call that takes the only connection of a machine away. */
interface Taking {
  readonly vm: Vm;
  /** The name that confirms the call. */
  readonly name: string;
  readonly pointer: string;
  send(options: { confirm?: string; dry?: boolean }): ReturnType<VpsAccount['send']>;
}

const queryOf = ({ confirm, dry }: { confirm?: string; dry?: boolean }, more: Record<string, string> = {}) =>
  `?${new URLSearchParams({ ...more, ...(confirm ? { confirm } : {}), ...(dry ? { dry_run: 'true' } : {}) })}`;

const takings: Record<string, () => Promise<Taking>> = {
  deleteVpsNetwork: async () => {
    const network = await vps.network();
    const vm = await withNetworks(network);
    const name = await nameOf(network);
    const url = `networks/${network}`;
    const send: Taking['send'] = (options) =>
      vps.send('DELETE', `${url}${queryOf(options, { detach: 'true' })}`);
    return { vm, name, pointer: 'query/confirm', send };
  },
  detachVmInterface: async () => {
    const vm = await withNetworks(await vps.network());
    const url = `vms/${vm.id}/interfaces/${vm.interfaces[0]?.id}`;
    const send: Taking['send'] = (options) => vps.send('DELETE', `${url}${queryOf(options)}`);
    return { vm, name: vm.name, pointer: 'query/confirm', send };
  },
  detachVmPublicIp: async () => {
    const vm = await withAddress();
    const url = `vms/${vm.id}/public-ips/${vm.public_ips[0]?.ip_id}`;
    const send: Taking['send'] = (options) => vps.send('DELETE', `${url}${queryOf(options)}`);
    return { vm, name: vm.name, pointer: 'query/confirm', send };
  },
  attachVmPublicIp: async () => {
    const [vm, other] = [await withAddress(), await vps.vm()];
    const send: Taking['send'] = ({ confirm, dry }) =>
      vps.send('POST', `vms/${other.id}/public-ips${queryOf(dry ? { dry } : {})}`, {
        ip_id: vm.public_ips[0]?.ip_id,
        move: true,
        ...(confirm ? { confirm } : {}),
      });
    return { vm, name: vm.name, pointer: '/confirm', send };
  },
};

const connectionsOf = async ({ id }: Vm): Promise<number> => {
  const { interfaces, public_ips } = await vps.readVm(id);
  return interfaces.filter(({ kind }) => kind === 'private').length + public_ips.length;
};

describe.each(Object.entries(takings))('%s of the last connection of a machine', (_, begin) => {
  it('422: without the name, also in a dry run, and nothing is taken', async () => {
    const { vm, pointer, send } = await begin();
    for (const [options, code] of [
      [{}, 'confirmation_missing'],
      [{ dry: true }, 'confirmation_missing'],
      [{ confirm: 'another' }, 'confirmation_mismatch'],
    ] as const) {
      const answer = await send(options);
      expect(answer.json().errors).toMatchObject([{ pointer, code }]);
      if (code === 'confirmation_missing') expect(answer.json().errors[0].detail).toContain(vm.name);
    }
    await settle(app);
    expect(await connectionsOf(vm)).toBe(1);
  });

  it('warns in the dry run, in the answer and in the operation; then takes it', async () => {
    const { vm, name, send } = await begin();
    const dry = (await send({ confirm: name, dry: true })).json();
    expect(dry.warnings).toMatchObject([{ code: 'machine_unreachable' }]);
    expect(dry.warnings[0].detail).toContain(vm.name);
    const answer = await send({ confirm: name });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(JSON.parse(String(answer.headers['hostplane-warnings']))).toEqual(dry.warnings);
    expect(answer.json().operation.warnings).toEqual(dry.warnings);
    await settle(app);
    expect(await connectionsOf(vm)).toBe(0);
  });
});

describe('a machine with another connection', () => {
  it('202: loses one without a confirmation and without a warning', async () => {
    const [one, two] = [await vps.network(), await vps.network()];
    const vm = await withNetworks(one, two);
    const answer = await vps.send('DELETE', `networks/${one}?detach=true`);
    expect([answer.statusCode, answer.headers['hostplane-warnings']]).toEqual([202, undefined]);
    // The other network is now the only one that stays.
    const last = await vps.send('DELETE', `networks/${two}?detach=true`);
    expect(last.json().errors).toMatchObject([{ code: 'confirmation_missing' }]);
    await settle(app);
    expect(await connectionsOf(vm)).toBe(1);
  });

  it('422: an address that is being detached does not count', async () => {
    const vm = await vps.vm({ networks: [{ network_id: await vps.network() }], public_ipv6: false });
    expect((await vps.send('DELETE', `vms/${vm.id}/public-ips/${vm.public_ips[0]?.ip_id}`)).statusCode).toBe(
      202,
    );
    const inside = vm.interfaces.find(({ kind }) => kind === 'private');
    const answer = await vps.send('DELETE', `vms/${vm.id}/interfaces/${inside?.id}`);
    expect(answer.json().errors).toMatchObject([{ code: 'confirmation_missing' }]);
    await settle(app);
  });
});
