import { createHash } from 'node:crypto';
import type { Call } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { BODY_LIMIT_BYTES } from '../attachments/schema.ts';
import { bodyOf, filesOf, prepareMessage, writeMessage } from '../messages/write.ts';
import { missingResources, resolve, warnOfPlan } from '../tickets/checks.ts';
import { ticketView } from '../tickets/present.ts';
import { tickets } from '../tickets/resource.ts';
import { NewTicket } from '../tickets/schema.ts';
import { findSame, findTicket, nextNumber, readPlan } from '../tickets/store.ts';
import { responseDue } from '../tickets/times.ts';

const SHORTEST = 20;

/** Somebody who sends the same text twice wants one ticket. With an Idempotency-Key the caller has decided. */
async function refuseSame(call: Call, textHash: Buffer): Promise<void> {
  if (call.hasIdempotencyKey) return;
  const existing = await findSame(call.db, call.caller.account.id, textHash);
  if (existing !== undefined) throw new Problem('duplicate_ticket', { extra: { existing_id: existing } });
}

export const createTicket = writeOf(ticketView, 'create', {
  id: 'createTicket',
  summary: 'Open a ticket',
  description:
    'Asks the provider for help. A text or a file that contains a secret is refused, and nothing of it is kept. The same subject and message within ten minutes is refused unless the call has an `Idempotency-Key`.',
  whileSuspended: true,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  body: NewTicket,
  problems: ['quota_exceeded', 'duplicate_ticket'],
  missing: ({ severity, resource_ids }) => missingResources(severity, resource_ids),
  prepare: prepareMessage,
  example: {
    body: {
      subject: 'Packet loss on web-1',
      body: 'Since 9:00 UTC the machine *web-1* loses about one packet of ten.',
      category: 'network',
      labels: { team: 'web' },
    },
  },
  async handle(call, prepared) {
    const files = filesOf(prepared);
    const { db, caller, now } = call;
    const accountId = caller.account.id;
    const {
      subject,
      category,
      severity = 'normal',
      resource_ids: resourceIds = [],
      request_ids = [],
      labels = {},
      cc_member_ids = [],
      follow_up_of = null,
    } = call.body;
    const body = bodyOf(call.body.body, SHORTEST);
    const isUnknown = follow_up_of !== null && (await findTicket(db, accountId, follow_up_of)) === undefined;
    const resources = await resolve(
      call,
      { resourceIds, memberIds: cc_member_ids, severity },
      isUnknown
        ? [
            {
              pointer: '/follow_up_of',
              code: 'unknown_reference',
              detail: 'There is no such ticket in this account.',
            },
          ]
        : [],
    );
    await tickets.lockNames(call);
    await requireRoom(
      call,
      ['support.open-tickets', 'support.tickets-per-hour'].map((limit) => ({ limit, amount: 1 })),
    );
    const textHash = createHash('sha256').update(`${subject}\n${body}`).digest();
    await refuseSame(call, textHash);
    const plan = await readPlan(db, accountId);
    warnOfPlan(call, plan, severity);
    const memberId = caller.owner?.memberId ?? null;
    const row = await tickets.create(
      call,
      {
        number: await nextNumber(db, accountId),
        subject,
        category,
        severity,
        status: 'open',
        resources: JSON.stringify(resources),
        request_ids,
        cc_member_ids,
        labels,
        created_by: JSON.stringify(
          caller.key === null
            ? { kind: 'member', api_key_id: null, member_id: memberId }
            : { kind: 'api_key', api_key_id: caller.key.id, member_id: memberId },
        ),
        follow_up_of,
        message_count: 1,
        first_response_due_at: responseDue(plan, severity, now),
        text_hash: textHash,
      },
      ['subject', 'category', 'severity'],
    );
    await writeMessage(call, row.id, body, files);
    return { row };
  },
});
