/** `hostplane open`: leads to a page of the portal, in a browser if there is one. */
import { browserOf, openBrowser, portalOf } from '../browser/portal.ts';
import type { BuiltInCommand } from '../built-in.ts';
import type { Document, Operation } from '../document/document.ts';
import { exitCodes } from '../exit-codes.ts';
import { urlOf } from '../http/pages.ts';
import { isId } from '../input/references.ts';
import { find, UnknownCommand } from '../lookup.ts';
import { openSession, type Session } from '../session.ts';
import { anyResource, findThing } from './things.ts';

/** Pages that belong to no resource, by the word that opens them. */
export const pages: Readonly<Record<string, string>> = {
  keys: '/api/keys',
  allowlist: '/api/keys/allowlist',
  denials: '/api/keys/denials',
  approvals: '/approvals',
  endpoints: '/api/endpoints',
  explorer: '/api/explorer',
  reference: '/api/reference',
  examples: '/api/examples',
  iac: '/api/iac',
  members: '/members',
  profile: '/me',
  security: '/me/security',
};

/** The page for what was named: a page, a command or operation, or a resource by its id or name. */
async function pageFor(session: Session, document: Document, words: readonly string[]): Promise<string> {
  const [thing] = words;
  if (thing === undefined) return '/';
  const page = words.length === 1 ? pages[thing] : undefined;
  if (page !== undefined) return page;
  const operation = document.find(thing)?.id ?? commandOf(document, words);
  if (operation !== undefined) return `/api/reference/${operation}`;
  const known = typeOfId(document, thing);
  const { type, id } = known ? { type: known, id: thing } : await findThing(session, document, thing);
  if (type === 'operation') return operationPage(session, document, id);
  if (type === 'api_key') return `/api/keys?key=${id}`;
  return explorerPage(document, type, id);
}

/** An operation that waits for a decision has a page; others are read in the Explorer. */
async function operationPage({ client }: Session, document: Document, id: string): Promise<string> {
  const read = document.operations.find(
    ({ resource: { name, role } }) => name === 'operation' && role === 'read',
  );
  if (read === undefined) return '/api/explorer';
  const [parameter] = read.parameters.filter((each) => each.in === 'path');
  const path = urlOf(read.path, { params: { [parameter?.name ?? 'id']: id }, query: {} });
  const { body } = await client.call({ method: 'GET', path });
  const { type } = body as { readonly type?: string };
  return type === 'approval.request' ? `/approvals/${id}` : filledIn(read, id);
}

/** The Explorer with this call, and the id in its form. */
const filledIn = ({ id: operation, resource }: Operation, id: string): string =>
  `/api/explorer/${operation}?${new URLSearchParams({ [resource.parameter ?? 'id']: id })}`;

/** The Explorer with the call that reads the resource, or lists such; else with that of what it belongs to. */
function explorerPage(document: Document, type: string, id?: string): string {
  const ofType = document.operations.filter(({ resource }) => resource.name === type);
  const shows = ['read', 'list'].flatMap((role) => ofType.filter(({ resource }) => resource.role === role));
  const [shown] = shows;
  if (shown !== undefined)
    return shown.resource.role === 'read' && id !== undefined
      ? filledIn(shown, id)
      : `/api/explorer/${shown.id}`;
  const parent = ofType.map(({ resource }) => resource.parent?.name).find((name) => name !== undefined);
  return parent === undefined || parent === type ? '/api/explorer' : explorerPage(document, parent);
}

function fits(pattern: string, id: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(id);
  } catch {
    return false;
  }
}

/** The type of resource that has ids like this one. */
function typeOfId({ operations, schemas }: Document, id: string): string | undefined {
  if (!isId(id)) return undefined;
  const taker = operations.find(({ resource, parameters }) =>
    parameters.some((parameter) => {
      const { pattern } = schemas.plain(parameter.schema);
      return parameter.name === resource.parameter && pattern !== undefined && fits(pattern, id);
    }),
  );
  return taker?.resource.name;
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
      const url = `${await portalOf(session.client)}${path === '/' ? '' : path}`;
      await io.out(`${url}\n`);
      const browser = browserOf(io);
      if (browser !== null) await openBrowser(browser, url);
      return exitCodes.done;
    } finally {
      session.client.close();
    }
  },
};
