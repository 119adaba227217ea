/** What people change is told in the account's feed like anything else; only of the types declared for the account itself. */

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
