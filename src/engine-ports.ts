/** Lists all engine ports, and loops over them. A new port is its folder in `src/engines/` and one line here. */
import { compute } from './engines/compute/index.ts';
import { dns } from './engines/dns/index.ts';
import { objects } from './engines/objects/index.ts';
import { openObjects } from './engines/objects/open.ts';
import type { ObjectStore } from './engines/objects/port.ts';
import { type EngineOptions, openEngines, type RunningEngines } from './engines/open.ts';
import type { Port } from './engines/port.ts';
import { sandboxDeskOf } from './engines/sandbox/operator.ts';
import type { Examination } from './kernel/registry.ts';
import type { Location } from './provider/catalogue.ts';
import { settingsIn } from './provider/port-settings.ts';
import type { ProviderConfig } from './provider/schema.ts';

export const enginePorts = [compute, objects, dns] as const;

type Ports = readonly Port[];
type EngineOf<P extends Port> = NonNullable<ReturnType<P['open']>>;
/** One member for each port, named as in `Services`. */
type AllEngines = {
  readonly [P in (typeof enginePorts)[number] as P['name']]: RunningEngines<EngineOf<P>>;
};

/** Whether a port simulates its engine at the location. */
const isSandbox = (location: Location, ports: Ports): boolean =>
  ports.some((port) => {
    const settings = settingsIn(location, port);
    return settings !== null && port.sandbox?.simulates?.(settings) === true;
  });

export function openEnginePorts(given: Omit<EngineOptions, 'isSandbox'>, ports: Ports = enginePorts) {
  const options = { ...given, isSandbox: (location: Location) => isSandbox(location, ports) };
  const opened = ports.map((port) => {
    const open = openEngines(options, (location, driver) =>
      port.open(settingsIn(location, port), location, driver),
    );
    return [port.name, open] as const;
  });
  return {
    engines: Object.fromEntries(opened) as unknown as AllEngines,
    async close(): Promise<void> {
      await Promise.all(opened.map(([, engines]) => engines.close()));
    },
  };
}

/** The stores of all locations, for commands: nothing else of the ports is opened. */
export function openStores(provider: ProviderConfig, ports: Ports = enginePorts) {
  const stores = new Map<string, ObjectStore>();
  for (const location of provider.catalogue.locations) {
    const options = { provider, isSandbox: (each: Location) => isSandbox(each, ports) };
    const store = openObjects(settingsIn(location, objects), location, options);
    if (store !== null) stores.set(location.slug, store);
  }
  return {
    at: (location: string) => stores.get(location),
    all: [...stores.values()],
    async close(): Promise<void> {
      await Promise.all([...stores.values()].map((store) => store.close()));
    },
  };
}

/** The engine checks of `hostplane admin doctor`: each port examines the locations that it serves. */
export async function examineEngines(
  { catalogue }: Pick<ProviderConfig, 'catalogue'>,
  ports: Ports = enginePorts,
): Promise<Examination[]> {
  const found: Examination[] = [];
  for (const location of catalogue.locations) {
    for (const port of ports) {
      const settings = settingsIn(location, port);
      if (settings !== null) found.push(...((await port.examine?.(settings, location, catalogue)) ?? []));
    }
  }
  return found;
}

/** What operators can do with the sandboxes of the ports. */
export const sandboxDesk = (ports: Ports = enginePorts) => ({
  ...sandboxDeskOf(ports.flatMap(({ sandbox }) => sandbox ?? [])),
  /** The locations with a simulated engine behind at least one port. */
  locations: ({ catalogue }: ProviderConfig): string[] =>
    catalogue.locations.filter((location) => isSandbox(location, ports)).map(({ slug }) => slug),
});
