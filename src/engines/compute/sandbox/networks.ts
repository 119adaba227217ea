import { EngineRefused } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { Network, NetworkSpec } from '../network.ts';
import { type ComputeCore, nameOf } from './core.ts';
import type { ComputeStateStore } from './store.ts';

/** Lists the machines and gateways that have an interface in the network. */
async function usersOf(store: ComputeStateStore, { account, id }: Ref) {
  const within = { nics: [{ network: id }] };
  return [
    ...(await store.containing('machine', account, within)),
    ...(await store.containing('gateway', account, within)),
  ];
}

export async function ensureNetwork(
  core: ComputeCore,
  ref: Ref,
  spec: NetworkSpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  await core.store.transact(async (store) => {
    const present = await store.lock('network', name);
    if (present === null) await store.insert('network', name, spec);
    else await store.update('network', name, spec);
  });
  await core.pause(core.takes('network'), signal);
}

export async function observeNetwork({ store }: ComputeCore, ref: Ref): Promise<Network | null> {
  const spec = await store.find('network', nameOf(ref));
  if (spec === null) return null;
  const users = await usersOf(store, ref);
  const usedBy = users.flatMap(({ id: instance, state }) =>
    state.nics.filter(({ network }) => network === ref.id).map(({ id: nic }) => ({ instance, nic })),
  );
  return { ...spec, ...ref, usedBy };
}

export async function removeNetwork(
  core: ComputeCore,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const wasThere = await core.store.transact(async (store) => {
    if ((await store.lock('network', name)) === null) return false;
    const users = await usersOf(store, ref);
    if (users.length > 0) {
      const ids = users.map(({ id }) => id).join(', ');
      throw new EngineRefused('resource_in_use', `The network ${ref.id} is used by ${ids}.`);
    }
    await store.delete('network', name);
    return true;
  });
  if (wasThere) await core.pause(core.takes('network'), signal);
}
