/** `hostplane login` and `logout`. The key is typed without being shown, or comes from stdin; never from an argument. */

import { resolve } from 'node:path';
import type { BuiltInCommand } from '../built-in.ts';
import { type Given, last } from '../command.ts';
import { addressOf, contextsFile, readContexts, writeContexts } from '../contexts/contexts.ts';
import { DocumentCache } from '../document/cache.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { misuse } from '../failure.ts';
import { Client } from '../http/client.ts';
import type { Io } from '../io.ts';

interface Whoami {
  readonly account?: { readonly name?: string };
  readonly api_key?: { readonly name?: string; readonly expires_at?: string | null };
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
  const key = await keyFrom(io);
  const client = new Client({ url, key, caFile }, io);
  try {
    // Tells a wrong address from a wrong key: the document is read without one.
    const document = await new DocumentCache(io, client).read(true);
    const path = document.find('getWhoami')?.path ?? '/account/v1/whoami';
    const { body } = await client.call({ method: 'GET', path });
    const { contexts } = readContexts(io);
    const context = { url, key, ...(caFile === undefined ? {} : { caFile: resolve(caFile) }) };
    writeContexts(io.env, { current: name, contexts: { ...contexts, [name]: context } });
    const { account, api_key } = body as Whoami;
    const expiry = api_key?.expires_at ? ` The key expires at ${api_key.expires_at}.` : '';
    io.err(
      `Logged in at ${url}${account?.name ? ` as ${account.name}` : ''} (context ${name}).${expiry}\nThe key is in ${contextsFile(io.env)}, which only you can read.\n`,
    );
    return exitCodes.done;
  } finally {
    client.close();
  }
}

export const login: BuiltInCommand = {
  words: ['login'],
  summary: 'Store the address of a server and an API key.',
  description:
    'Asks for the API key without showing it. In a script, the key comes from stdin: hostplane login --url https://api.example.com < key-file. Several servers or keys are kept as contexts: --context names the one to store. Instead of logging in, you can set HOSTPLANE_URL and HOSTPLANE_API_KEY.',
  args: [],
  flags: [
    {
      name: 'url',
      kind: 'text',
      placeholder: '<url>',
      description: 'The address of the API (HOSTPLANE_URL).',
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
