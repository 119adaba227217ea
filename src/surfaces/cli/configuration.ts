/** Finds the configuration file: named on the command line, else in the environment, else in the current folder. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reportFaults } from '../../provider/fault.ts';
import type { Loaded, LoadOptions } from '../../provider/load.ts';
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

/** Reads the provider's file, or the built-in demo provider. */
export type Load = (options: Pick<LoadOptions, 'file' | 'env'>) => Loaded;

interface Loader {
  readonly io: CliIo;
  readonly parts: { readonly load: Load };
}

export function loadConfiguration({ io, parts }: Loader, file: string | undefined): Loaded {
  return parts.load({ ...(file === undefined ? {} : { file }), env: io.env });
}

export function requireConfiguration(cli: Loader, named?: string): ProviderConfig {
  const loaded = loadConfiguration(cli, findConfigFile(cli.io, named));
  if (loaded.ok) return loaded.config;
  const { length } = loaded.faults;
  const count = length === 1 ? 'one fault' : `${length} faults`;
  throw new Refusal(`The configuration has ${count}:\n${reportFaults(loaded.faults)}`);
}
