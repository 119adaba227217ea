import { EngineRefused } from '../../errors.ts';
import { declaredObjects } from '../../sandbox/declared-objects.ts';
import type { Ref } from '../instance.ts';
import type { Network } from '../network.ts';
import type { ComputeCore, ComputeSandbox } from './core.ts';
import type { ComputeStateStore } from './store.ts';

/** Lists the machines and gateways that have an interface in the network. */
async function usersOf(store: ComputeStateStore, { account, id }: Ref) {
  const within = { nics: [{ network: id }] };
  return [
    ...(await store.containing('machine', account, within)),
    ...(await store.containing('gateway', account, within)),
  ];
}

export const networks = declaredObjects<ComputeSandbox, 'network'>('network', {
  task: 'network',
  async checkRemoval(store, ref) {
    const users = await usersOf(store, ref);
    if (users.length === 0) return;
    const ids = users.map(({ id }) => id).join(', ');
    throw new EngineRefused('resource_in_use', `The network ${ref.id} is used by ${ids}.`);
  },
});

export async function observeNetwork(core: ComputeCore, ref: Ref): Promise<Network | null> {
  const network = await networks.observe(core, ref);
  if (network === null) return null;
  const users = await usersOf(core.store, ref);
  const usedBy = users.flatMap(({ id: instance, state }) =>
    state.nics.filter((nic) => nic.network === ref.id).map(({ id: nic }) => ({ instance, nic })),
  );
  return { ...network, usedBy };
}
