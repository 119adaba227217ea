/** The unchanged default configuration, for code that needs any provider: tests, the specification, benchmarks. */
import { readDefaultText } from './default.ts';
import type { Environment } from './environment.ts';
import { formatFault } from './fault.ts';
import { loadProvider } from './load.ts';
import type { ProviderConfig } from './schema.ts';

export function demoProvider(env: Environment = {}): ProviderConfig {
  const loaded = loadProvider({ env, defaultText: readDefaultText() });
  if (loaded.ok) return loaded.config;
  throw new Error(`The default configuration has faults:\n${loaded.faults.map(formatFault).join('\n')}`);
}
