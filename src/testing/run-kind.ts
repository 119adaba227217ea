/**
 * Runs the steps of an operation kind directly, without an operation, a queue or a worker. Fixtures use it to create a
 * resource in the state that the operation would leave. It does not write the events that the steps return.
 */
import { newId } from '../kernel/ids.ts';
import type { Kind } from '../kernel/operations/kind.ts';
import { markProvisioned } from '../kernel/provisioning/store.ts';
import type { ResourceRef } from '../kernel/resource-ref.ts';
import { transact } from '../store/transaction.ts';
import type { TestApp } from './app.ts';

interface Subject<I> {
  readonly accountId: string;
  readonly resource: ResourceRef;
  readonly input: NoInfer<I>;
}

export async function runKind<I>(
  { services }: Pick<TestApp, 'services'>,
  kind: Kind<I>,
  subject: Subject<I>,
): Promise<void> {
  const { db } = services;
  const resourceId = subject.resource.id ?? '';
  const results: Record<string, unknown> = {};
  for (const step of kind.steps) {
    const outcome = await step.run({
      ...subject,
      resourceId,
      operationId: newId('operation'),
      results,
      kept: {},
      tries: 0,
      now: new Date(),
      signal: new AbortController().signal,
      db,
      services,
    });
    if (outcome.kind !== 'done')
      throw new Error(`${kind.type}: the step ${step.name} ended with ${JSON.stringify(outcome)}`);
    results[step.name] = outcome.result;
    const { commit } = outcome;
    if (commit !== undefined) await transact(db, (tx) => commit(tx).then(() => undefined));
  }
  if (kind.provisions !== undefined) await markProvisioned(db, kind.provisions, resourceId, null);
}
