/** `hostplane open`: leads to a page of the portal, in a browser if there is one. */
import type { BuiltInCommand } from '../built-in.ts';
import type { Document } from '../document/document.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { find, UnknownCommand } from '../lookup.ts';
import { openSession, type Session } from '../session.ts';
import { anyResource, findThing } from './things.ts';

/** Pages that belong to no resource, by the word that opens them. */
const pages: Readonly<Record<string, string>> = {
  keys: '/api/keys',
  allowlist: '/api/keys/allowlist',
  denials: '/api/keys/denials',
  approvals: '/approvals',
  explorer: '/api/explorer',
  reference: '/api/reference',
};

/** The page for what was named: a page, a command or operation, an approval, or a resource by its id or name. */
async function pageFor(session: Session, document: Document, words: readonly string[]): Promise<string> {
  const [thing] = words;
  if (thing === undefined) return '/';
  const page = words.length === 1 ? pages[thing] : undefined;
  if (page !== undefined) return page;
  const operation = document.find(thing)?.id ?? commandOf(document, words);
  if (operation !== undefined) return `/api/reference/${operation}`;
  if (thing.startsWith('op_')) return `/approvals/${thing}`;
  if (thing.startsWith('key_')) return '/api/keys';
  const { type } = await findThing(session, document, thing);
  const read = document.operations.find(({ resource: { name, role } }) => name === type && role === 'read');
  return read === undefined ? '/api/explorer' : `/api/explorer/${read.id}`;
}

function commandOf(document: Document, words: readonly string[]): string | undefined {
  try {
    const found = find(document, words, []);
    return 'operation' in found ? found.operation.id : found.group[0]?.id;
  } catch (error) {
    if (error instanceof UnknownCommand) return undefined;
    throw error;
  }
}

/** Passkeys work for names only, so the portal of a server on this machine is at localhost. */
const portalOf = (url: string): string => `${url.replace('//127.0.0.1', '//localhost')}/portal`;

function browser({ env, outIsTerminal }: Io): [string, string[]] | null {
  if (!outIsTerminal) return null;
  if (env['BROWSER']) return [env['BROWSER'], []];
  if (process.platform === 'darwin') return ['open', []];
  if (process.platform === 'win32') return ['cmd', ['/c', 'start', '']];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', []] : null;
}

export const open: BuiltInCommand = {
  words: ['open'],
  summary: 'Open the portal at the page of a thing; prints the address.',
  description: `The thing is the id or name of a resource, a command or operation (its reference), or one of the pages ${Object.keys(pages).join(', ')}. Without a browser, only the address is printed.`,
  args: [
    { name: 'thing', description: 'What to open.', isOptional: true, reference: anyResource },
    { name: 'resource', description: 'The resource of a command.', isOptional: true },
    { name: 'verb', description: 'The verb of a command.', isOptional: true },
  ],
  flags: [],
  async run({ io, args, given }) {
    const session = openSession(io, given);
    try {
      const document = await session.documents.read();
      const path = await pageFor(session, document, args);
      const url = `${portalOf(session.client.url)}${path === '/' ? '' : path}`;
      await io.out(`${url}\n`);
      const program = browser(io);
      if (program !== null) {
        const { spawn } = await import('node:child_process');
        spawn(program[0], [...program[1], url], { stdio: 'ignore', detached: true })
          .on('error', () => undefined)
          .unref();
      }
      return exitCodes.done;
    } finally {
      session.client.close();
    }
  },
};
