/** What a call would take away, from its dry run. */
import { urlOf } from '../http/pages.ts';
import type { Session } from '../session.ts';
import { hasParameter } from '../shapes/operation-shape.ts';
import type { DryRun } from './dry-run.ts';
import type { Prepared } from './prepared.ts';

/** One line for each effect. Empty if the call has no dry run. A call that would be refused is refused here already. */
export async function lossesOf(session: Session, prepared: Prepared, body: unknown): Promise<string[]> {
  const { shape, params, query, headers } = prepared;
  const { operation } = shape;
  if (!hasParameter(operation, 'dry_run')) return [];
  const reply = await session.client.call({
    method: operation.method,
    path: urlOf(operation.path, { params, query: { ...query, dry_run: 'true' } }),
    headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: session.io.interrupted,
  });
  const { effects = [] } = (reply.body ?? {}) as DryRun;
  const spoken = (word: string): string => word.replaceAll('_', ' ');
  return effects.map(({ action, type, name, id, loss }) => {
    const what = `${spoken(action)} ${spoken(type)} ${name ?? id ?? ''}`.trimEnd();
    return `  ${what}${loss === null ? '' : `: ${loss.what}`}`;
  });
}
