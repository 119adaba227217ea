/** Loads the provider's file with what others bring to it: the ports their settings, the families their sales and checks. */
import { enginePorts } from './engine-ports.ts';
import { families, unbuiltFamilies } from './families/index.ts';
import { soldTypesOf } from './money/prices/sold-types.ts';
import { readDefaultText } from './provider/default.ts';
import type { Environment } from './provider/environment.ts';
import { formatFault } from './provider/fault.ts';
import { type Loaded, type LoadOptions, loadProvider } from './provider/load.ts';
import type { ProviderParts } from './provider/parts.ts';
import type { PortSettings } from './provider/port-settings.ts';
import type { ProviderConfig } from './provider/schema.ts';

export const providerParts: ProviderParts = {
  families,
  soldTypes: soldTypesOf([...families, ...unbuiltFamilies]),
  ports: enginePorts,
};

export interface ConfigurationOptions extends Pick<LoadOptions, 'file' | 'env' | 'now'> {
  readonly defaultText?: string;
  /** Default: all ports of the product. */
  readonly ports?: readonly PortSettings[];
}

export function loadConfiguration({ defaultText, ports, ...options }: ConfigurationOptions): Loaded {
  const parts = ports === undefined ? providerParts : { ...providerParts, ports };
  return loadProvider({ ...options, defaultText: defaultText ?? readDefaultText(), parts });
}

/** The unchanged default configuration, for code that needs any provider: tests, the specification, benchmarks. */
export function demoProvider(env: Environment = {}): ProviderConfig {
  const loaded = loadConfiguration({ env });
  if (loaded.ok) return loaded.config;
  throw new Error(`The default configuration has faults:\n${loaded.faults.map(formatFault).join('\n')}`);
}
