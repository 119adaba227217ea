/** Asks for the name of what a call destroys or loosens, and compares it with `--confirm`. */
import { last } from '../command.ts';
import { misuse } from '../failure.ts';
import { urlOf } from '../http/pages.ts';
import { isId } from '../input/references.ts';
import { printable } from '../output/printable.ts';
import { shellWord } from '../output/shell-word.ts';
import type { Session } from '../session.ts';
import { confirmMember } from '../shapes/operation-shape.ts';
import { dangerOf, lossesOf } from './losses.ts';
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
  if (operation.access !== 'destructive') return isDryRun ? typed : confirmedWrite(session, prepared, typed);
  const isSent = confirmMember(document, operation) === 'body';
  if (isDryRun) return isSent ? (typed ?? (await nameOf(session, prepared))) : typed;
  const name = await nameOf(session, prepared);
  if (isTyped(prepared, typed, name)) return typed;
  const sent = isSent ? { ...(prepared.body as object), confirm: name } : prepared.body;
  const losses = await lossesOf(session, prepared, sent);
  return ask(session, prepared, name, [`${titleOf(prepared)}: this takes something away.`, ...losses]);
}

/**
 * A write that loosens something, or loses something for good, such as unsaved data of a machine that is forced off, is
 * sent without `confirm`, so it is asked for here alone.
 */
async function confirmedWrite(
  session: Session,
  prepared: Prepared,
  typed: string | undefined,
): Promise<string | undefined> {
  const { operation } = prepared.shape;
  // A person who approved the request has seen what it loosens and loses.
  if (!operation.mayLoosen || prepared.given.has('approval-id')) return typed;
  if (typed !== undefined && isTyped(prepared, typed, await nameOf(session, prepared))) return typed;
  const danger = await dangerOf(session, prepared);
  if (danger === undefined) return undefined;
  const { why, lines } = danger;
  await ask(session, prepared, await nameOf(session, prepared), [`${titleOf(prepared)}: ${why}.`, ...lines]);
  return undefined;
}

/** What the command does, before a colon. Some summaries are sentences. */
const titleOf = ({ shape }: Prepared): string => shape.operation.summary.replace(/\.$/, '');

/** The command may have the word of the parent: `firewall detach` takes an attachment away. */
function nounOf({ shape: { operation }, document }: Prepared): string {
  const { words } = document.find(operation.id) ?? operation;
  return words.resource.replaceAll('-', ' ');
}

/** Whether `--confirm` has the name. Throws if it has another one. */
function isTyped(prepared: Prepared, typed: string | undefined, name: string): boolean {
  if (typed === undefined || typed === name) return typed === name;
  throw misuse(
    `--confirm says "${typed}", but this is the ${nounOf(prepared)} "${name}". Nothing was changed.`,
  );
}

async function ask(
  { io }: Session,
  prepared: Prepared,
  name: string,
  lines: readonly string[],
): Promise<string> {
  const what = lines.map(printable).join('\n');
  if (!io.canAsk) throw misuse(`${what}\nNothing was changed. ${repeated(prepared, name)}`);
  io.err(`${what}\n`);
  const answer = await io.ask(`To confirm, type the name of the ${nounOf(prepared)} (${name}): `);
  if (answer !== name) throw misuse(`That is not "${name}". Nothing was changed.`);
  return name;
}

/**
 * How to repeat the command with the confirmation. A command with a secret in it is not printed, because stderr is often
 * kept, and a command with something else in its place would be a wrong one.
 */
function repeated(prepared: Prepared, name: string): string {
  const confirmation = `--confirm ${shellWord(name)}`;
  if (hasSecret(prepared)) return `Repeat the command with ${confirmation}.`;
  const { line } = prepared;
  const shown = line.map((word) => printable(shellWord(word)));
  // After two dashes nothing is a flag.
  const end = line.indexOf('--');
  const at = end < 0 ? shown.length : end;
  const command = ['hostplane', ...shown.slice(0, at), confirmation, ...shown.slice(at)].join(' ');
  return `Repeat with:\n  ${command}`;
}

/** Whether the line itself has a value that answers never show. One that is read from a file or from stdin is not in it. */
function hasSecret({ shape, document, given }: Prepared): boolean {
  const isTyped = (flag: string): boolean => (given.get(flag) ?? []).some((value) => !value.startsWith('@'));
  const secrets = shape.memberFlags.filter(({ schema }) => document.schemas.plain(schema).writeOnly === true);
  return secrets.some(({ name }) => isTyped(name)) || (secrets.length > 0 && isTyped('body'));
}

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
