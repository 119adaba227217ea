/**
 * `hostplane login` and `logout`. A person gets a key by the browser, or types one without showing it; a script gives it
 * on stdin. It is never an argument, because others can read those.
 */

import { resolve } from 'node:path';
import type { BuiltInCommand } from '../built-in.ts';
import { type Given, isOn, last } from '../command.ts';
import { addressOf, contextsFile, readContexts, writeContexts } from '../contexts/contexts.ts';
import { DocumentCache } from '../document/cache.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { misuse } from '../failure.ts';
import { Client } from '../http/client.ts';
import type { Target } from '../http/connection.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';

interface Whoami {
  readonly account?: { readonly name?: string };
  readonly key?: { readonly name?: string; readonly expires_at?: string | null };
}

async function wantsBrowser(io: Io, given: Given): Promise<boolean> {
  if (last(given, 'browser') === 'false') return false;
  if (!io.canAsk) {
    if (!isOn(given, 'browser')) return false;
    throw misuse('--browser needs a terminal. Without one, the key comes from stdin.');
  }
  if (isOn(given, 'browser')) return true;
  const typed = await io.ask('Press Enter to log in with the browser, or type "key" to enter an API key: ');
  if (typed === '' || /^b(rowser)?$/i.test(typed)) return true;
  if (/^k(ey)?$/i.test(typed)) return false;
  throw misuse('Press Enter, or type key. The API key itself is asked for afterwards, without showing it.');
}

async function keyFrom(io: Io): Promise<string> {
  const typed = io.canAsk ? await io.askSecret('API key (it is not shown): ') : (await io.readInput()).trim();
  if (typed === '')
    throw misuse(
      'There is no API key. Create one in the portal, then run hostplane login in a terminal, or: hostplane login --url … < key-file',
    );
  // A key in a header must not break the header.
  if (!/^[\x21-\x7e]+$/.test(typed))
    throw misuse('That is no API key: it has spaces or other characters in it.');
  return typed;
}

/** Loaded late, because other commands need none of it. */
async function keyByBrowser(io: Io, target: Target) {
  const { loginByBrowser } = await import('../browser/login.ts');
  return loginByBrowser(io, target);
}

async function urlFrom(io: Io, given: Given): Promise<string> {
  const text = last(given, 'url') ?? io.env['HOSTPLANE_URL'];
  if (text !== undefined && text !== '') return addressOf(text);
  if (!io.canAsk) throw misuse('Which server? Add --url https://api.example.com');
  return addressOf(await io.ask('The address of the API, such as https://api.example.com: '));
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

async function run({ io, given }: { io: Io; given: Given }): Promise<ExitCode> {
  const name = last(given, 'context') ?? 'default';
  if (!NAME.test(name)) throw misuse('A context has a short name of letters, digits, dots and hyphens.');
  const url = await urlFrom(io, given);
  if (url.startsWith('http:') && !/^http:\/\/(127\.|localhost[:/]?|\[::1\])/.test(url))
    io.err(`Warning: with http:// everyone on the way can read your key. Use https:// if ${url} has it.\n`);
  const caFile = last(given, 'ca-file');
  const made = (await wantsBrowser(io, given)) ? await keyByBrowser(io, { url, caFile }) : null;
  const key = made?.secret ?? (await keyFrom(io));
  const client = new Client({ url, key, caFile }, io);
  try {
    // Tells a wrong address from a wrong key: the document is read without one.
    const document = await new DocumentCache(io, client).read(true);
    const path = document.find('getWhoami')?.path ?? '/account/v1/whoami';
    const { body } = await client.call({ method: 'GET', path });
    const { contexts } = readContexts(io);
    const context = { url, key, ...(caFile === undefined ? {} : { caFile: resolve(caFile) }) };
    writeContexts(io.env, { current: name, contexts: { ...contexts, [name]: context } });
    const { account, key: stored } = body as Whoami;
    const expiry = stored?.expires_at ? ` The key expires at ${stored.expires_at}.` : '';
    io.err(
      `Logged in at ${url}${account?.name ? ` as ${account.name}` : ''} (context ${name}).${expiry}\nThe key is in ${contextsFile(io.env)}, which only you can read.\n`,
    );
    return exitCodes.done;
  } catch (error) {
    if (made !== null)
      io.err(
        `The key ${printable(made.key.name)} was made, but is not stored here. Revoke it in the portal.\n`,
      );
    throw error;
  } finally {
    client.close();
  }
}

export const login: BuiltInCommand = {
  words: ['login'],
  summary: 'Log in at a server, with the browser or an API key.',
  description:
    'In a terminal, a page of the portal opens in your browser, where you allow the login and choose what the new key may do and how long it works; on a computer without a browser, open the address elsewhere and paste the code that the page shows. Or type an API key that you have; it is not shown. In a script, the key comes from stdin: hostplane login --url https://api.example.com < key-file. Several servers or keys are kept as contexts: --context names the one to store. Instead of logging in, you can set HOSTPLANE_URL and HOSTPLANE_API_KEY.',
  args: [],
  flags: [
    {
      name: 'url',
      kind: 'text',
      placeholder: '<url>',
      description: 'The address of the API (HOSTPLANE_URL).',
    },
    {
      name: 'browser',
      kind: 'switch',
      description: 'Log in with the browser without asking; --no-browser asks for an API key.',
    },
  ],
  run,
};

export const logout: BuiltInCommand = {
  words: ['logout'],
  summary: 'Forget the key of the current context, or of --context.',
  args: [],
  flags: [],
  async run({ io, given }) {
    const { current, contexts } = readContexts(io);
    const name = last(given, 'context') ?? current;
    if (name === null || contexts[name] === undefined) throw misuse('You are not logged in there.');
    const { [name]: _, ...rest } = contexts;
    const next = current === name ? null : current;
    writeContexts(io.env, { current: next, contexts: rest });
    io.err(`Forgot the context ${name}. The key itself still works: revoke it in the portal if it leaked.\n`);
    return exitCodes.done;
  },
};
