/** Where the program keeps its files, as the XDG Base Directory Specification says. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../io.ts';

function folder(env: Environment, variable: string, usual: string): string {
  const given = env[variable];
  // The specification says that relative paths are ignored.
  const base = given !== undefined && isAbsolute(given) ? given : join(env['HOME'] || homedir(), usual);
  return join(base, 'hostplane');
}

export const configFolder = (env: Environment): string => folder(env, 'XDG_CONFIG_HOME', '.config');
export const cacheFolder = (env: Environment): string => folder(env, 'XDG_CACHE_HOME', '.cache');
