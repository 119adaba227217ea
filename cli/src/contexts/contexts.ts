/** The servers and keys that `hostplane login` stored. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure, misuse } from '../failure.ts';
import type { Target } from '../http/connection.ts';
import type { Environment, Io } from '../io.ts';
import { configFolder } from './folders.ts';
import { writePrivately } from './private-file.ts';

export interface Context {
  readonly url: string;
  readonly key: string;
  readonly caFile?: string;
}

export interface Contexts {
  /** The one that is used if none is named. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

export const contextsFile = (env: Environment): string => join(configFolder(env), 'contexts.json');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function parse(text: string): Contexts {
  const { current, contexts } = JSON.parse(text) as Contexts;
  const all = Object.values(contexts);
  if (!all.every(({ url, key }) => isText(url) && isText(key))) throw new Error('a context lacks url or key');
  return { current: current ?? null, contexts };
}

export function readContexts(io: Io): Contexts {
  const path = contextsFile(io.env);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32')
      io.err(`Others can read ${path}, which has your API keys. Run: chmod 600 ${path}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
    throw new Failure(`${path} cannot be read (${(error as Error).message}).`, exitCodes.failed);
  }
  try {
    return parse(text);
  } catch (error) {
    const why = (error as Error).message;
    throw new Failure(
      `${path} is damaged (${why}). Repair it, or delete it and run hostplane login again.`,
      exitCodes.failed,
    );
  }
}

export const writeContexts = (env: Environment, contexts: Contexts): void =>
  writePrivately(contextsFile(env), `${JSON.stringify(contexts, null, 2)}\n`);

export interface Chosen extends Target {
  /** Null if the environment names the server. */
  readonly name: string | null;
}

export interface Choice {
  readonly context?: string | undefined;
  readonly caFile?: string | undefined;
}

/** `--context`, else the environment, else the current context. */
export function chooseTarget(io: Io, { context, caFile }: Choice): Chosen {
  const { HOSTPLANE_URL: url = '', HOSTPLANE_API_KEY: key = '', HOSTPLANE_CONTEXT } = io.env;
  if (context === undefined && (url !== '' || key !== '')) {
    if (url === '')
      throw misuse('HOSTPLANE_API_KEY is set, but HOSTPLANE_URL is not. Set both, or neither and log in.');
    return { name: null, url: addressOf(url), key: key === '' ? undefined : key, caFile };
  }
  const { current, contexts } = readContexts(io);
  const name = context ?? HOSTPLANE_CONTEXT ?? current;
  if (name === null)
    throw new Failure(
      'You are not logged in. Run hostplane login, or set HOSTPLANE_URL and HOSTPLANE_API_KEY.',
      exitCodes.keyRefused,
    );
  return { name, ...inContexts(contexts, name), ...(caFile === undefined ? {} : { caFile }) };
}

export function inContexts(contexts: Contexts['contexts'], name: string): Context {
  const found = contexts[name];
  if (found !== undefined) return found;
  const near = nearest(name, Object.keys(contexts));
  const hint = near === null ? 'hostplane contexts lists them.' : `Did you mean ${near}?`;
  throw misuse(`There is no context "${name}". ${hint}`);
}

/** The address without a slash at the end. */
export function addressOf(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw misuse(`"${text}" is no address of a server. It looks like this: https://api.example.com`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw misuse(`"${text}" is no address of a server: it begins with https://.`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw misuse(`"${url.host}" has to be named without user, password, ? and #.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
