/**
 * Makes one attempt to deliver one message. The attempt is sent first and recorded after. If the sender dies
 * in between, the lease expires and the message is sent again under the same id: delivery is "at least once".
 */
import { maskKeys } from '../../../kernel/access/key-format.ts';
import { HOSTPLANE, type NewEvent } from '../../../kernel/events/event.ts';
import { type EventRow, presentEvent } from '../../../kernel/events/schema.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { type Egress, type EgressAnswer, NoAnswer } from '../../../kernel/net/egress.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { markFailing } from '../fan-out/store.ts';
import { type Change, changeAfter, disabledEvent, failingEvent, recoveredEvent } from '../health.ts';
import { readRetryAfter, retryAfter } from '../retries.ts';
import { signatureHeaders } from '../signature.ts';
import { newDeliveryId } from '../tables.ts';
import { hears } from '../visibility.ts';
import {
  type Claimed,
  countFailing,
  countPending,
  disableWebhook,
  type Ending,
  endAttempt,
  insertRetry,
  type Locked,
  lockWebhook,
  noteFailure,
  noteSuccess,
} from './store.ts';

const EXCERPT_BYTES = 1024;
const GONE = 410;

export interface AttemptContext {
  readonly db: Db;
  readonly registry: Registry;
  readonly secrets: Seal;
  readonly egress: Egress;
  readonly owner: string;
  readonly timeoutMs: number;
  now(): Date | null;
  random(): number;
}

/** Every attempt sends the same bytes. */
function messageBody(event: EventRow): Buffer {
  const data = presentEvent(event);
  return Buffer.from(maskKeys(JSON.stringify({ type: event.type, timestamp: data.occurred_at, data })));
}

interface Outcome extends Ending {
  readonly retryAfterSeconds: number | null;
}

const DROPPED: Outcome = {
  status: 'discarded',
  httpStatus: null,
  fault: null,
  durationMs: null,
  excerpt: null,
  retryAfterSeconds: null,
};

function judgeAnswer({ status, headers, body }: EgressAnswer, durationMs: number, now: Date): Outcome {
  const isRedirect = status >= 300 && status < 400;
  const delivered = status >= 200 && status < 300;
  const retryHeader = status === 429 || status === 503 ? headers['retry-after'] : undefined;
  return {
    status: delivered ? 'succeeded' : 'failed',
    httpStatus: status,
    fault: delivered ? null : isRedirect ? 'redirect' : 'http_status',
    durationMs,
    // PostgreSQL cannot store NUL characters, and a character may be cut in half at the end of the excerpt.
    excerpt: body.toString('utf8').replaceAll('\0', '').slice(0, EXCERPT_BYTES),
    retryAfterSeconds: readRetryAfter(Array.isArray(retryHeader) ? retryHeader[0] : retryHeader, now),
  };
}

async function send(context: AttemptContext, claimed: Claimed, event: EventRow, signal: AbortSignal) {
  const { webhook, delivery, now } = claimed;
  const open = (sealed: Buffer): Buffer => context.secrets.open(sealed, webhook.id);
  const secrets = [webhook.secret, ...(webhook.previous_secret ? [webhook.previous_secret] : [])].map(open);
  const body = messageBody(event);
  const timestamp = Math.floor(now.getTime() / 1000);
  const started = performance.now();
  const duration = (): number => Math.round(performance.now() - started);
  try {
    const answer = await context.egress.call(new URL(webhook.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Hostplane-Webhooks/1',
        ...signatureHeaders(secrets, { id: delivery.message_id, timestamp, body }),
      },
      body,
      timeoutMs: context.timeoutMs,
      maxBytes: EXCERPT_BYTES,
      signal,
    });
    return judgeAnswer(answer, duration(), now);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { ...DROPPED, status: 'failed' as const, fault: error.fault, durationMs: duration() };
  }
}

export async function makeAttempt(
  context: AttemptContext,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const { event, webhook } = claimed;
  const isWanted = event !== null && hears(context.registry, webhook, event);
  const outcome = isWanted ? await send(context, claimed, event, signal) : DROPPED;
  // The attempt was interrupted and may or may not have arrived, so it is not counted and is sent again.
  if (signal.aborted && outcome.status !== 'succeeded') return;
  await transact(context.db, (tx) => conclude(tx, context, claimed, outcome));
}

async function conclude(tx: Tx, context: AttemptContext, claimed: Claimed, outcome: Outcome): Promise<void> {
  const { delivery } = claimed;
  const webhook = await lockWebhook(tx, delivery.webhook_id, context.now());
  if (webhook === undefined) return;
  const { now } = webhook;
  const isGone = outcome.httpStatus === GONE;
  const wait =
    outcome.status !== 'failed' ||
    delivery.trigger === 'redelivery' ||
    webhook.status === 'disabled' ||
    isGone
      ? null
      : retryAfter({
          attempt: delivery.attempt,
          retryAfterSeconds: outcome.retryAfterSeconds,
          chance: context.random(),
        });
  const nextAt = wait === null ? null : new Date(now.getTime() + wait * 1000);
  if (!(await endAttempt(tx, claimed, context.owner, outcome, { now, nextAt }))) return;
  if (outcome.status === 'discarded') return;
  if (nextAt !== null) await insertRetry(tx, claimed, { id: newDeliveryId(), now, nextAt });
  const change = await noteOutcome(tx, webhook, outcome, isGone);
  const news = await applyChange(tx, webhook, change);
  await writeEvents(tx, context.registry, { accountId: delivery.account_id, actor: HOSTPLANE }, news);
}

async function noteOutcome(
  tx: Tx,
  webhook: Locked,
  outcome: Outcome,
  isGone: boolean,
): Promise<Change | null> {
  const { id, now } = webhook;
  if (outcome.status === 'succeeded') {
    await noteSuccess(tx, id, now);
    return changeAfter(webhook, { result: 'delivered', now, messagesFailing: 0 });
  }
  await noteFailure(tx, id, now, outcome);
  const messagesFailing = webhook.status === 'active' ? await countFailing(tx, id, now) : 0;
  return changeAfter(webhook, { result: isGone ? 'gone' : 'failed', now, messagesFailing });
}

async function applyChange(tx: Tx, webhook: Locked, change: Change | null): Promise<NewEvent[]> {
  switch (change?.to) {
    case undefined:
      return [];
    case 'recovered':
      return [recoveredEvent(webhook)];
    case 'failing':
      await markFailing(tx, webhook.id, webhook.now);
      return [failingEvent(webhook, 'failures', await countPending(tx, webhook.id))];
    case 'disabled':
      await disableWebhook(tx, webhook.id, change.reason, webhook.now);
      return [disabledEvent(webhook, change.reason)];
  }
}
