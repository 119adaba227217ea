/** What a command works with: the server it calls, the document of that server, and the form of its output. */
import { type Given, isOn, last } from './command.ts';
import { type Chosen, chooseTarget } from './contexts/contexts.ts';
import { DocumentCache } from './document/cache.ts';
import { Client } from './http/client.ts';
import type { Io } from './io.ts';
import { Printer } from './output/printer.ts';

export interface Session {
  readonly io: Io;
  readonly target: Chosen;
  readonly client: Client;
  readonly documents: DocumentCache;
}

export function openSession(io: Io, given: Given): Session {
  const target = chooseTarget(io, { context: last(given, 'context'), caFile: last(given, 'ca-file') });
  const client = new Client(target, io, {
    isVerbose: isOn(given, 'verbose'),
    isImpatient: last(given, 'retry') === 'false',
  });
  return { io, target, client, documents: new DocumentCache(io, client) };
}

export const printerFor = (io: Io, given: Given): Printer =>
  new Printer(io, last(given, 'output'), last(given, 'query'));
