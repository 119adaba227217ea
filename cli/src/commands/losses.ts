/** What a call would take away or loosen, from its dry run. */
import { urlOf } from '../http/pages.ts';
import type { Session } from '../session.ts';
import { hasParameter } from '../shapes/operation-shape.ts';
import { type DryRun, sentence } from './dry-run.ts';
import type { Prepared } from './prepared.ts';

/** Empty if the call has no dry run. A call that would be refused is refused here already. */
async function rehearse(session: Session, prepared: Prepared, body: unknown): Promise<DryRun> {
  const { shape, params, query, headers } = prepared;
  const { operation } = shape;
  if (!hasParameter(operation, 'dry_run')) return {};
  const reply = await session.client.call({
    method: operation.method,
    path: urlOf(operation.path, { params, query: { ...query, dry_run: 'true' } }),
    headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: session.io.interrupted,
  });
  return (reply.body ?? {}) as DryRun;
}

/** One line for each effect, and for each change that loosens something, such as a machine that loses a firewall. */
export async function lossesOf(session: Session, prepared: Prepared, body: unknown): Promise<string[]> {
  return linesOf(await rehearse(session, prepared, body));
}

function linesOf({ effects = [], changes = [] }: DryRun): string[] {
  const spoken = (word: string): string => word.replaceAll('_', ' ');
  const losses = effects.map(({ action, type, name, id, loss }) => {
    const what = `${spoken(action)} ${spoken(type)} ${name ?? id ?? ''}`.trimEnd();
    return `  ${what}${loss === null ? '' : `: ${loss.what}`}`;
  });
  const loosened = changes.filter(({ loosens }) => loosens).map((change) => `  ${sentence(change)}`);
  return [...losses, ...loosened];
}

/** Why a call that usually destroys nothing has to be confirmed, and what it does; undefined if it has not. */
export async function dangerOf(
  session: Session,
  prepared: Prepared,
): Promise<{ readonly why: string; readonly lines: readonly string[] } | undefined> {
  const foreseen = await rehearse(session, prepared, prepared.body);
  const { effects = [], changes = [] } = foreseen;
  if (effects.some(({ loss }) => loss?.recoverable === false))
    return { why: 'this takes something away for good', lines: linesOf(foreseen) };
  if (!changes.some(({ loosens }) => loosens)) return undefined;
  return { why: 'this loosens a protection', lines: changes.map((change) => `  ${sentence(change)}`) };
}
