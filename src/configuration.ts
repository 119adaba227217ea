/** Loads the provider's file with what the families bring to it: their sales and their checks. */
import { families, unbuiltFamilies } from './families/index.ts';
import { soldTypesOf } from './money/prices/sold-types.ts';
import { readDefaultText } from './provider/default.ts';
import type { Environment } from './provider/environment.ts';
import { formatFault } from './provider/fault.ts';
import { type Loaded, type LoadOptions, loadProvider } from './provider/load.ts';
import type { ProviderParts } from './provider/parts.ts';
import type { ProviderConfig } from './provider/schema.ts';

export const providerParts: ProviderParts = {
  families,
  soldTypes: soldTypesOf([...families, ...unbuiltFamilies]),
};

export type ConfigurationOptions = Pick<LoadOptions, 'file' | 'env' | 'now'> & {
  readonly defaultText?: string;
};

export const loadConfiguration = ({ defaultText, ...options }: ConfigurationOptions): Loaded =>
  loadProvider({ ...options, defaultText: defaultText ?? readDefaultText(), parts: providerParts });

/** The unchanged default configuration, for code that needs any provider: tests, the specification, benchmarks. */
export function demoProvider(env: Environment = {}): ProviderConfig {
  const loaded = loadConfiguration({ env });
  if (loaded.ok) return loaded.config;
  throw new Error(`The default configuration has faults:\n${loaded.faults.map(formatFault).join('\n')}`);
}
