/** `hostplane contexts`: the servers and keys that are stored. Keys are never printed. */
import type { BuiltInCommand } from '../built-in.ts';
import { inContexts, readContexts, writeContexts } from '../contexts/contexts.ts';
import { exitCodes } from '../exit-codes.ts';
import { printerFor } from '../session.ts';

/** The part of a key that lists in the portal show, too. */
const publicPart = (key: string): string => /^(hpk\d+_[0-9A-Za-z]{12})_/.exec(key)?.[1] ?? '-';

export const contextCommands: readonly BuiltInCommand[] = [
  {
    words: ['contexts'],
    summary: 'List the contexts: which server and which key.',
    args: [],
    flags: [],
    async run({ io, given }) {
      const { current, contexts } = readContexts(io);
      const rows = Object.entries(contexts).map(([name, { url, key }]) => ({
        name,
        current: name === current ? 'yes' : '',
        url,
        key: publicPart(key),
      }));
      await printerFor(io, given).table(['name', 'current', 'url', 'key'], [], rows);
      if ((io.env['HOSTPLANE_URL'] ?? '') !== '')
        io.err(`HOSTPLANE_URL is set, so commands without --context call ${io.env['HOSTPLANE_URL']}.\n`);
      return exitCodes.done;
    },
  },
  {
    words: ['contexts', 'use'],
    summary: 'Make a context the current one.',
    args: [{ name: 'context', description: 'The name of the context.' }],
    flags: [],
    async run({ io, args: [name = ''] }) {
      const { contexts } = readContexts(io);
      const { url } = inContexts(contexts, name);
      writeContexts(io.env, { current: name, contexts });
      io.err(`Commands now call ${url} (context ${name}).\n`);
      return exitCodes.done;
    },
  },
];
