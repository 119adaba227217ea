/** Trials of the problems of machines, networks, snapshots and addresses. */
import { addFault, clearFaults } from '../engines/compute/sandbox/store.ts';
import { newKeyPair } from '../kernel/secrets/wireguard-keys.ts';
import { allocateAddress } from '../resources/addresses/store.ts';
import { settle } from '../testing/operations.ts';
import { freshPublicKey } from '../testing/ssh-keys.ts';
import type { Customer, Trial, Trials } from './next-step-trial.ts';
import { freshName } from './world.ts';

const VPS = '/flexible-vps/v1';
const PRIVATE = { public_ipv4: { mode: 'none' }, public_ipv6: false };

const vmBody = (more: object = {}) => ({
  name: freshName(),
  location: 'fra1',
  plan: 'flex-2-4',
  source: { type: 'image', image_id: 'ubuntu-24.04' },
  ...more,
});
const inNetworks = (...ids: string[]) => ({ networks: ids.map((network_id) => ({ network_id })) });

async function reserve({ app, db, accountId }: Customer): Promise<string> {
  const { address_pools: pools } = app.services.provider.catalogue;
  const request = { pools, location: 'fra1', version: 4, accountId, kind: 'reserved', vmId: null } as const;
  const row = await allocateAddress(db, { ...request, now: new Date() });
  if (row === null) throw new Error('The pool is used up.');
  return row.id;
}

const act = (c: Customer, id: string, type: string) => c.vps.do('POST', `vms/${id}/actions`, { type });

/** Images from all these snapshots, as the advice about snapshots says. */
async function keepAsImages(c: Customer, ids: unknown): Promise<void> {
  for (const snapshot_id of ids as string[])
    await c.vps.do('POST', 'images', { name: freshName(), source: { type: 'snapshot', snapshot_id } });
}

/** Two private machines in a network that is to be deleted; with `spare`, each has another network. */
async function usedNetwork(c: Customer, spare: boolean): Promise<{ network: string; more: string[] }> {
  const network = await c.vps.network();
  const more = spare ? [await c.vps.network()] : [];
  for (let i = 0; i < 2; i++) await c.vps.vm({ ...PRIVATE, ...inNetworks(network, ...more) });
  return { network, more };
}

const detachAll =
  (spare: boolean) =>
  async (c: Customer): Promise<Trial> => {
    const { network } = await usedNetwork(c, spare);
    const url = `${VPS}/networks/${network}`;
    return {
      ...(await c.instead(['DELETE', url], () => ['DELETE', `${url}?detach=true`])),
      subject: network,
      ...(spare ? {} : { leadsTo: 'validation_failed' }),
    };
  };

async function snapshots(c: Customer, count: number) {
  const vm = await c.vps.vm();
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await c.vps.do('POST', `vms/${vm.id}/snapshots`, {})).id);
  return { vm, ids };
}

async function movable(c: Customer): Promise<{ url: string; ip_id: string; from: string }> {
  const ip_id = await reserve(c);
  const [from, to] = [await c.vps.vm(), await c.vps.vm()];
  await c.vps.do('POST', `vms/${from.id}/public-ips`, { ip_id });
  return { url: `${VPS}/vms/${to.id}/public-ips`, ip_id, from: from.id };
}

export const machineTrials: Trials = {
  invalid_state: async (c) => {
    const id = await c.made(`${VPS}/vms`, vmBody());
    const copy = { body: vmBody({ source: { type: 'vm', vm_id: id } }) };
    return c.instead(['POST', `${VPS}/vms`, copy], async () => {
      await settle(c.app);
      return ['POST', `${VPS}/vms`, copy];
    });
  },
  vm_not_stopped: async (c) => {
    const { id } = await c.vps.vm();
    const placement_group_id = await c.made(`${VPS}/placement-groups`, {
      name: freshName(),
      location: 'fra1',
    });
    const patch = ['PATCH', `${VPS}/vms/${id}`, { body: { placement_group_id } }] as const;
    return c.instead([...patch], async () => {
      await act(c, id, 'shutdown');
      return [...patch];
    });
  },
  vm_not_running: async (c) => {
    const { id } = await c.vps.vm();
    await act(c, id, 'shutdown');
    const reset = ['POST', `${VPS}/vms/${id}/password-reset`, { body: {} }] as const;
    return c.instead([...reset], async () => {
      await act(c, id, 'power_on');
      return [...reset];
    });
  },
  vm_in_rescue: async (c) => {
    const { id } = await c.vps.vm();
    await c.vps.do('POST', `vms/${id}/rescue`, { enabled: true });
    const resize = ['POST', `${VPS}/vms/${id}/resize`, { body: { plan: 'flex-4-8' } }] as const;
    return c.instead([...resize], async () => {
      await c.vps.do('POST', `vms/${id}/rescue`, { enabled: false });
      return [...resize];
    });
  },
  vm_has_snapshots: async (c) => {
    const { vm } = await snapshots(c, 2);
    const redeploy = (more: object = {}) =>
      ['POST', `${VPS}/vms/${vm.id}/redeploy`, { body: { confirm: vm.name, ...more } }] as const;
    return c.instead([...redeploy()], async ({ snapshot_ids }) => {
      await keepAsImages(c, snapshot_ids);
      return [...redeploy({ delete_snapshots: true })];
    });
  },
  newer_snapshots_exist: async (c) => {
    const { vm, ids } = await snapshots(c, 2);
    const restore = (more: object = {}) => {
      const body = { source: { type: 'snapshot', snapshot_id: ids[0] }, confirm: vm.name, ...more };
      return ['POST', `${VPS}/vms/${vm.id}/restore`, { body }] as const;
    };
    return c.instead([...restore()], async ({ snapshot_ids }) => {
      await keepAsImages(c, snapshot_ids);
      return [...restore({ delete_newer_snapshots: true })];
    });
  },
  live_resize_unavailable: async (c) => {
    const { id } = await c.vps.vm({ plan: 'flex-1-2', start: false });
    const resize = (mode: string) =>
      ['POST', `${VPS}/vms/${id}/resize`, { body: { plan: 'flex-2-4', mode } }] as const;
    return c.instead([...resize('live')], () => [...resize('cold')]);
  },
  guest_agent_unavailable: async (c) => {
    const { id: target } = await c.vps.vm();
    const effect = { kind: 'fail', code: 'guest_agent_unavailable', detail: 'No agent.' } as const;
    await addFault(c.db, { target, call: 'setPassword', effect });
    const reset = ['POST', `${VPS}/vms/${target}/password-reset`, { body: {} }] as const;
    return c.instead([...reset], async () => {
      await clearFaults(c.db);
      return [...reset];
    });
  },
  capability_missing: async (c) => {
    const { id } = await c.vps.vm();
    const ask = (type: string) => ['POST', `${VPS}/vms/${id}/console-sessions`, { body: { type } }] as const;
    return c.instead([...ask('graphical')], () => [...ask('serial')]);
  },
  placement_unsatisfiable: async (c) => {
    const group = (strict: boolean) =>
      c.made(`${VPS}/placement-groups`, { name: freshName(), location: 'fra1', policy: 'spread', strict });
    const create = (placement_group_id: string) =>
      ['POST', `${VPS}/vms`, { body: vmBody({ plan: 'flex-1-1', placement_group_id }) }] as const;
    const strict = await group(true);
    let answer = await c.call(...create(strict));
    while (answer.statusCode < 300) {
      await settle(c.app);
      answer = await c.call(...create(strict));
    }
    return { refused: answer.json(), follow: async () => c.call(...create(await group(false))) };
  },
  ssh_key_exists: async (c) => {
    const body = { name: freshName(), public_key: freshPublicKey() };
    await c.made(`${VPS}/ssh-keys`, body);
    return c.instead(['POST', `${VPS}/ssh-keys`, { body }], () => [
      'POST',
      `${VPS}/ssh-keys?if_exists=return`,
      { body },
    ]);
  },
  cidr_overlap: async (c) => {
    const range = { ipv4_cidr: '10.77.0.0/24' };
    const [one, same, other] = [
      await c.vps.network(range),
      await c.vps.network(range),
      await c.vps.network(),
    ];
    const create = (...ids: string[]) =>
      ['POST', `${VPS}/vms`, { body: vmBody(inNetworks(...ids)) }] as const;
    return c.instead([...create(one, same)], () => [...create(one, other)]);
  },
  public_key_taken: async (c) => {
    const network_ids = [await c.vps.network({ ipv4_cidr: '10.79.0.0/24' })];
    const gateway = { name: freshName(), location: 'fra1', network_ids };
    const { id } = await c.vps.do<{ id: string }>('POST', 'vpn-gateways', gateway);
    const add = (public_key: string) =>
      ['POST', `${VPS}/vpn-gateways/${id}/peers`, { body: { name: freshName(), public_key } }] as const;
    const { publicKey } = newKeyPair();
    await c.call(...add(publicKey));
    return c.instead([...add(publicKey)], () => [...add(newKeyPair().publicKey)]);
  },
  resource_protected: async (c) => {
    const { id } = await c.vps.vm({ protection: { delete: true } });
    const url = `${VPS}/vms/${id}`;
    return {
      ...(await c.instead(['DELETE', url], async () => {
        await c.call('PATCH', url, { body: { protection: { delete: false } } });
        return ['DELETE', url];
      })),
      subject: id,
    };
  },
  resource_in_use: detachAll(true),
  not_releasable: async (c) => {
    const { public_ips } = await c.vps.vm();
    const subject = public_ips[0]?.ip_id ?? '';
    const url = `/ip-management/v1/addresses/${subject}`;
    return {
      ...(await c.instead(['DELETE', `${url}?detach=true`], async () => {
        await c.call('PATCH', url, { body: { kind: 'reserved' } });
        return ['DELETE', `${url}?detach=true`];
      })),
      subject,
    };
  },
  already_attached: async (c) => {
    const { url, ip_id } = await movable(c);
    return c.instead(['POST', url, { body: { ip_id } }], () => [
      'POST',
      url,
      { body: { ip_id, move: true } },
    ]);
  },
  address_taken: async (c) => {
    const network_id = await c.vps.network({ ipv4_cidr: '10.78.0.0/24' });
    const create = (ipv4: string) =>
      ['POST', `${VPS}/vms`, { body: vmBody({ networks: [{ network_id, ipv4 }] }) }] as const;
    await c.call(...create('10.78.0.20'));
    await settle(c.app);
    return c.instead([...create('10.78.0.20')], () => [...create('10.78.0.21')]);
  },
  capacity_unavailable: async (c) => {
    const create = (place: object) => ['POST', `${VPS}/vms`, { body: vmBody(place) }] as const;
    const { id } = await c.vps.vm({ location: 'hel1' });
    await c.call('DELETE', `${VPS}/vms/${id}`);
    await settle(c.app);
    await c.db
      .updateTable('sandbox_hosts')
      .set((row) => ({ used_vcpus: row.ref('vcpus') }))
      .where('location', '=', 'hel1')
      .execute();
    return c.instead([...create({ location: 'hel1', plan: 'flex-2-4' })], ({ alternatives }) => [
      ...create((alternatives as object[])[0] ?? {}),
    ]);
  },
  query_too_large: async (c) => {
    const { id } = await c.vps.vm();
    const to = new Date();
    const from = new Date(to.getTime() - 20 * 86_400_000);
    const metrics = (step: unknown) => {
      const range = { from: from.toISOString(), to: to.toISOString(), step_seconds: String(step) };
      return ['GET', `${VPS}/vms/${id}/metrics?${new URLSearchParams(range)}`] as const;
    };
    return c.instead([...metrics(60)], ({ min_step_seconds }) => [...metrics(min_step_seconds)]);
  },
  engine_unavailable: async (c) => {
    const { id: target } = await c.vps.vm();
    const effect = { kind: 'unreachable' } as const;
    await addFault(c.db, { target, call: 'setPassword', effect });
    const reset = ['POST', `${VPS}/vms/${target}/password-reset`, { body: {} }] as const;
    return c.instead([...reset], async () => {
      await clearFaults(c.db);
      return [...reset];
    });
  },
};

/** Advice that would harm if nothing stopped it. */
export const guardedTrials: Readonly<Record<string, (customer: Customer) => Promise<Trial>>> = {
  'resource_in_use, where machines would have no interface left': detachAll(false),
  'already_attached, where the other machine would have no address left': async (c) => {
    const ip_id = await reserve(c);
    await c.vps.vm({ public_ipv4: { mode: 'reserved', ip_id }, public_ipv6: false });
    const url = `${VPS}/vms/${(await c.vps.vm()).id}/public-ips`;
    const move = { body: { ip_id, move: true } };
    return {
      ...(await c.instead(['POST', url, { body: { ip_id } }], () => ['POST', url, move])),
      leadsTo: 'validation_failed',
    };
  },
};
