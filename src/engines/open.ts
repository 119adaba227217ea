/** Opens the engines of a port: at most one for each location of the provider file. */
import type { Location } from '../provider/catalogue.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { type Connection, type Db, openDatabase, openPool } from '../store/database.ts';
import type { Listener } from '../store/listener.ts';
import type { Engine, Engines } from './engine.ts';

/**
 * The size of a separate connection pool for drivers, which keep their own records in tables of Hostplane's database. A
 * handler that calls an engine already holds a connection of the main pool: with one pool, such handlers could block
 * each other forever.
 */
const DRIVER_CONNECTIONS = 4;

export interface RunningEngines<E extends Engine> extends Engines<E> {
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly provider: ProviderConfig;
  /** The configuration after the last reload. */
  readonly current: () => ProviderConfig;
  readonly connection: Connection;
  /** Not started yet, so that drivers can subscribe to it. */
  readonly listener: Listener;
  /** Whether one of the ports simulates its engine at the location. */
  isSandbox(location: Location): boolean;
}

export interface DriverOptions extends EngineOptions {
  /** Uses the separate pool of the drivers. */
  readonly db: Db;
}

/** `openDriver` returns null for a location without an engine of this port. */
export function openEngines<E extends Engine>(
  options: EngineOptions,
  openDriver: (location: Location, options: DriverOptions) => E | null,
): RunningEngines<E> {
  const { provider, connection } = options;
  const db = openDatabase(openPool({ ...connection, maxConnections: DRIVER_CONNECTIONS }));
  const engines = new Map<string, E>();
  for (const location of provider.catalogue.locations) {
    const engine = openDriver(location, { ...options, db });
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
