/** The engines that run machines, one for each location that has one. */
import type { ComputeEngine, ComputeEngines } from './engines/compute/port.ts';
import { Sandbox } from './engines/compute/sandbox/sandbox.ts';
import type { ProviderConfig } from './kernel/provider/schema.ts';
import { type Connection, openDatabase, openPool } from './store/database.ts';
import type { Listener } from './store/listener.ts';

/** The sandbox stands for another machine: what it does must not wait for connections that wait for it. */
const SANDBOX_CONNECTIONS = 4;

export interface RunningEngines extends ComputeEngines {
  close(): Promise<void>;
}

interface Surroundings {
  readonly provider: ProviderConfig;
  readonly connection: Connection;
  /** Not started yet. */
  readonly listener: Listener;
}

export function openCompute({ provider, connection, listener }: Surroundings): RunningEngines {
  const { locations, images } = provider.catalogue;
  const db = openDatabase(openPool({ ...connection, maxConnections: SANDBOX_CONNECTIONS }));
  const engines = new Map<string, ComputeEngine>();
  for (const { slug, compute } of locations) {
    if (compute === null) continue;
    engines.set(slug, new Sandbox({ location: slug, db, listener, images, pace: compute.pace ?? 1 }));
  }
  return {
    at: (location) => engines.get(location),
    all: [...engines.values()],
    async close() {
      for (const engine of engines.values()) await engine.close();
      await db.destroy();
    },
  };
}
