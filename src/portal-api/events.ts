/**
 * Writes the events of portal changes to the account's feed. Only the event types of the account and its
 * budgets are allowed.
 */
import { accountEventTypes, declaredAs } from '../kernel/events/account-types.ts';
import type { NewEvent } from '../kernel/events/event.ts';
import { writeEvents } from '../kernel/events/write-events.ts';
import { budgetEventTypes } from '../money/budgets/event-types.ts';
import type { Tx } from '../store/database.ts';
import { type Actor, eventActor } from './actor.ts';

const declared = declaredAs([...accountEventTypes, ...budgetEventTypes]);

export async function writePortalEvents(
  tx: Tx,
  accountId: string,
  actor: Actor,
  events: readonly NewEvent[],
): Promise<void> {
  await writeEvents(tx, declared, { accountId, actor: eventActor(actor) }, events);
}
