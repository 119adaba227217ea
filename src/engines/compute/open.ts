/** Opens the compute engines, one for each location that has one. */

import { computeOf } from '../../provider/compute.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import { type Connection, type Db, openDatabase, openPool } from '../../store/database.ts';
import type { Listener } from '../../store/listener.ts';
import { Incus } from './incus/driver.ts';
import { PgLedger } from './incus/host-ledger.ts';
import { PgConsoleLogs } from './incus/logs/store.ts';
import { PgSamples } from './incus/samples/store.ts';
import { readSettings } from './incus/settings.ts';
import type { ComputeEngine, ComputeEngines } from './port.ts';
import { Sandbox } from './sandbox/sandbox.ts';

/**
 * The engines' own tables stand in for remote systems, so they have a separate connection pool. Otherwise an engine
 * call could wait for a connection that its own caller holds.
 */
const BOOK_CONNECTIONS = 4;

export interface RunningEngines extends ComputeEngines {
  close(): Promise<void>;
}

interface Surroundings {
  readonly provider: ProviderConfig;
  readonly connection: Connection;
  /** Must not be started yet, because engines subscribe to it. */
  readonly listener: Listener;
}

function openEngine(location: Location, db: Db, { provider, listener }: Surroundings): ComputeEngine | null {
  const { slug, compute: given } = location;
  const compute = given && computeOf(given);
  switch (compute?.driver) {
    case 'sandbox':
      return new Sandbox({
        location: slug,
        db,
        listener,
        images: provider.catalogue.images,
        pace: compute.pace,
      });
    case 'incus':
      return new Incus({
        location: slug,
        settings: readSettings(compute),
        ledger: new PgLedger(db, slug),
        samples: new PgSamples(db, slug),
        logs: new PgConsoleLogs(db, slug),
      });
    default:
      return null;
  }
}

type Location = ProviderConfig['catalogue']['locations'][number];

export function openCompute(surroundings: Surroundings): RunningEngines {
  const { provider, connection } = surroundings;
  const db = openDatabase(openPool({ ...connection, maxConnections: BOOK_CONNECTIONS }));
  const engines = new Map<string, ComputeEngine>();
  for (const location of provider.catalogue.locations) {
    const engine = openEngine(location, db, surroundings);
    if (engine !== null) engines.set(location.slug, engine);
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
