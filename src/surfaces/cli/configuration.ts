/** Finds the configuration file: named on the command line, else in the environment, else in the current folder. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readDefaultText } from '../../provider/default.ts';
import { reportFaults } from '../../provider/fault.ts';
import { type Loaded, loadProvider } from '../../provider/load.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { CliIo } from './io.ts';
import { Refusal } from './refusal.ts';

const CONFIG_FILE = 'hostplane.yaml';
const CONFIG_VARIABLE = 'HOSTPLANE_CONFIG';

/** Returns undefined if there is no file; then the built-in demo provider is used. */
export function findConfigFile(io: CliIo, named?: string): string | undefined {
  const chosen = named ?? io.env[CONFIG_VARIABLE];
  if (chosen) return resolve(io.folder, chosen);
  const lying = join(io.folder, CONFIG_FILE);
  return existsSync(lying) ? lying : undefined;
}

export function loadConfiguration(io: CliIo, file: string | undefined): Loaded {
  const own = file === undefined ? {} : { file };
  return loadProvider({ ...own, env: io.env, defaultText: readDefaultText() });
}

export function requireConfiguration(io: CliIo, named?: string): ProviderConfig {
  const loaded = loadConfiguration(io, findConfigFile(io, named));
  if (loaded.ok) return loaded.config;
  const { length } = loaded.faults;
  const count = length === 1 ? 'one fault' : `${length} faults`;
  throw new Refusal(`The configuration has ${count}:\n${reportFaults(loaded.faults)}`);
}
