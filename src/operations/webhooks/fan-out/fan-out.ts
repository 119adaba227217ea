/**
 * Turns events into messages. The events are the outbox: each webhook has a cursor, and its messages and the
 * new cursor are committed together. So no event is missed and no message is created twice.
 */
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { failingEvent } from '../health.ts';
import { newDeliveryId, newMessageId } from '../tables.ts';
import { hears } from '../visibility.ts';
import {
  accountsBehind,
  type Behind,
  discardBeyond,
  insertMessages,
  lockBehind,
  markFailing,
  moveCursors,
  readEvents,
} from './store.ts';

const BATCH = 200;
export const MOST_PENDING = 10_000;

export interface FanOut {
  readonly db: Db;
  readonly registry: Registry;
  readonly mostPending: number;
  now(): Date | null;
}

/** `null` processes all accounts. */
export async function fanOut(stage: FanOut, accounts: readonly string[] | null): Promise<void> {
  for (const accountId of await accountsBehind(stage.db, accounts)) {
    while (await transact(stage.db, (tx) => fanOutSome(tx, stage, accountId)));
  }
}

/** Processes one batch of events. Returns true if there are more. */
async function fanOutSome(tx: Tx, stage: FanOut, accountId: string): Promise<boolean> {
  const { head, webhooks } = await lockBehind(tx, accountId);
  if (webhooks.length === 0) return false;
  const after = Math.min(...webhooks.map(({ cursor }) => cursor));
  const events = await readEvents(tx, accountId, { after, upTo: head, limit: BATCH });
  const messages = webhooks.flatMap((webhook) =>
    events
      .filter((event) => event.sequence > webhook.cursor && hears(stage.registry, webhook, event))
      .map((event) => ({
        id: newDeliveryId(),
        webhook_id: webhook.id,
        message_id: newMessageId(),
        event_id: event.id,
        event_type: event.type,
      })),
  );
  await insertMessages(tx, accountId, messages, stage.now());
  const last = events.length < BATCH ? head : (events.at(-1)?.sequence ?? head);
  await moveCursors(
    tx,
    webhooks.map(({ id }) => id),
    last,
  );
  const told = new Set(messages.map(({ webhook_id }) => webhook_id));
  const news = await dropExcess(
    tx,
    stage,
    webhooks.filter(({ id }) => told.has(id)),
  );
  await writeEvents(tx, stage.registry, { accountId, actor: HOSTPLANE }, news);
  return last < head;
}

/**
 * Discards messages beyond the limit. Only the first time emits an event: an event for every drop would
 * itself become a message to drop, endlessly, while two webhooks of an account fail.
 */
async function dropExcess(tx: Tx, stage: FanOut, webhooks: readonly Behind[]): Promise<NewEvent[]> {
  const news: NewEvent[] = [];
  for (const webhook of webhooks) {
    const dropped = await discardBeyond(tx, webhook.id, stage.mostPending, stage.now());
    if (dropped === 0 || webhook.status === 'failing') continue;
    await markFailing(tx, webhook.id, stage.now());
    news.push(failingEvent(webhook, 'backlog', stage.mostPending));
  }
  return news;
}
