/** The firewalls of the sandbox. `packets.ts` applies them. */
import type { Firewall, FirewallSpec } from '../firewall.ts';
import type { Ref } from '../instance.ts';
import { type ComputeCore, nameOf } from './core.ts';

export async function ensureFirewall(
  core: ComputeCore,
  ref: Ref,
  spec: FirewallSpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  await core.store.transact(async (store) => {
    const present = await store.lock('firewall', name);
    if (present === null) await store.insert('firewall', name, spec);
    else if (present.revision <= spec.revision) await store.update('firewall', name, spec);
  });
  await core.pause(core.takes('firewall'), signal);
}

export async function observeFirewall({ store }: ComputeCore, ref: Ref): Promise<Firewall | null> {
  const spec = await store.find('firewall', nameOf(ref));
  return spec === null ? null : { ...spec, ...ref };
}

export async function observeFirewalls({ store }: ComputeCore): Promise<Ref[]> {
  return (await store.list('firewall')).map(({ project: account, id }) => ({ account, id }));
}

export async function removeFirewall(
  core: ComputeCore,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(ref);
  const wasThere = await core.store.transact(async (store) => {
    if ((await store.lock('firewall', name)) === null) return false;
    await store.delete('firewall', name);
    return true;
  });
  if (wasThere) await core.pause(core.takes('firewall'), signal);
}
