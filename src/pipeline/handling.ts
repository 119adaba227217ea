/** The handler of a write and what belongs to it: the questions before its transaction, and the checks after it. */
import { type Done, nothingDone } from '../kernel/call.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import type { Reply } from '../kernel/record.ts';
import { passwordWarnings } from '../kernel/secret-text/in-body.ts';
import type { Services } from '../kernel/services.ts';
import type { Tx } from '../store/database.ts';
import { budget, foreseenBudgets } from './budget.ts';
import { callOf } from './call-context.ts';
import { dryRunResult } from './dry-run.ts';
import type { Input } from './input.ts';
import type { Result } from './output.ts';

/** Asks engines, so it runs before the transaction. */
export async function prepare(exchange: Exchange, services: Services, input: Input): Promise<unknown> {
  const means = { db: services.db, done: nothingDone() };
  return endpointOf(exchange).prepare?.(callOf(exchange, services, input, means));
}

/** Everything it does is a row of the transaction. */
export async function handle(
  tx: Tx,
  exchange: Exchange,
  services: Services,
  input: Input,
  prepared: unknown,
): Promise<{ readonly reply: Reply; readonly done: Done }> {
  const done = nothingDone();
  const call = callOf(exchange, services, input, { db: tx, done });
  const endpoint = endpointOf(exchange);
  if (endpoint.body !== undefined) done.warnings.push(...passwordWarnings(endpoint.body, input.body));
  const reply = await endpoint.handle(call, prepared);
  await budget(tx, exchange, services, done);
  return { reply, done };
}

/** The answer to a dry run, made before the rollback. */
export async function foreseenBy(
  tx: Tx,
  exchange: Exchange,
  services: Services,
  done: Done,
): Promise<Result> {
  const budgets = await foreseenBudgets(tx, exchange, services, done);
  return dryRunResult(tx, services, { accountId: callerOf(exchange).account.id, done, budgets });
}
