/** Asks for the name of what a call destroys, and compares it with `--confirm`. */
import { last } from '../command.ts';
import { misuse } from '../failure.ts';
import { urlOf } from '../http/pages.ts';
import { isId } from '../input/references.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { confirmMember } from '../shapes/operation-shape.ts';
import { lossesOf } from './losses.ts';
import type { Prepared } from './prepared.ts';

/** The name to send as `confirm`; undefined if the call needs none. Throws if it was not confirmed. */
export async function confirmed(
  session: Session,
  prepared: Prepared,
  isDryRun: boolean,
): Promise<string | undefined> {
  const { shape, document, given } = prepared;
  const { operation } = shape;
  const typed = last(given, 'confirm');
  if (operation.access !== 'destructive') return typed;
  const isSent = confirmMember(document, operation) === 'body';
  if (isDryRun) return isSent ? (typed ?? (await nameOf(session, prepared))) : typed;
  const name = await nameOf(session, prepared);
  if (typed === name) return typed;
  const noun = operation.words.resource.replaceAll('-', ' ');
  if (typed !== undefined)
    throw misuse(`--confirm says "${typed}", but this is the ${noun} "${name}". Nothing was changed.`);
  const sent = isSent ? { ...(prepared.body as object), confirm: name } : prepared.body;
  const losses = await lossesOf(session, prepared, sent);
  const what = [`${operation.summary}: this takes something away.`, ...losses].map(printable).join('\n');
  if (!session.io.canAsk)
    throw misuse(`${what}\nNothing was changed. Repeat with: --confirm ${quoted(name)}`);
  session.io.err(`${what}\n`);
  const answer = await session.io.ask(`To confirm, type the name of the ${noun} (${name}): `);
  if (answer !== name) throw misuse(`That is not "${name}". Nothing was changed.`);
  return name;
}

/** As it is typed in a shell. */
const quoted = (text: string): string =>
  /^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The name of the resource in the path. Its id, if it has no name or cannot be read. */
async function nameOf({ client }: Session, { shape, document, args, params }: Prepared): Promise<string> {
  const { resource } = shape.operation;
  const at = shape.pathParameters.findIndex(
    ({ name }) => name === (resource.parameter ?? resource.parent?.parameter),
  );
  const typed = args[at] ?? args.at(-1) ?? 'yes';
  if (!isId(typed)) return typed;
  const read = document.find(resource.read?.operation ?? '');
  if (read === undefined || resource.read?.in !== undefined) return typed;
  const { body } = await client.call({ method: 'GET', path: urlOf(read.path, { params, query: {} }) });
  const { name } = (body ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : typed;
}
