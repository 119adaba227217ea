/**
 * Objects that a sandbox keeps as they were declared: `ensure` stores the specification, `observe` returns it. Engines
 * of DNS records, buckets or alert rules need no more than this and a table of their calls (`call-table.ts`).
 */
import type { Ref } from '../engine.ts';
import { nameOf, type SandboxCore } from './core.ts';
import type { SandboxPort } from './sandbox-port.ts';
import type { StateStore } from './store.ts';

interface Options<P extends SandboxPort, State> {
  /** The task whose time each change takes. */
  readonly task: P['task'];
  /** Whether the stored object is newer than the specification, which is then ignored. */
  isNewer?(present: State, spec: State): boolean;
  /** Throws if the object cannot be removed now. */
  checkRemoval?(store: StateStore<P['states']>, ref: Ref): Promise<void>;
}

export function declaredObjects<P extends SandboxPort, K extends keyof P['states'] & string>(
  kind: K,
  { task, isNewer, checkRemoval }: Options<P, P['states'][K]>,
) {
  type Core = SandboxCore<P>;
  type State = P['states'][K];
  return {
    async ensure(core: Core, ref: Ref, spec: State, signal: AbortSignal | undefined): Promise<void> {
      const name = nameOf(ref);
      await core.store.transact(async (store) => {
        const present = await store.lock(kind, name);
        if (present === null) await store.insert(kind, name, spec);
        else if (isNewer?.(present, spec) !== true) await store.update(kind, name, spec);
      });
      await core.pause(core.takes(task), signal);
    },

    async observe({ store }: Core, ref: Ref): Promise<(State & Ref) | null> {
      const spec = await store.find(kind, nameOf(ref));
      return spec === null ? null : { ...spec, ...ref };
    },

    async list({ store }: Core): Promise<Ref[]> {
      return (await store.list(kind)).map(({ project: account, id }) => ({ account, id }));
    },

    /** An object that is not there takes no time. */
    async remove(core: Core, ref: Ref, signal: AbortSignal | undefined): Promise<void> {
      const wasThere = await core.store.transact(async (store) => {
        if ((await store.lock(kind, nameOf(ref))) === null) return false;
        await checkRemoval?.(store, ref);
        await store.delete(kind, nameOf(ref));
        return true;
      });
      if (wasThere) await core.pause(core.takes(task), signal);
    },
  };
}
