/** The last check before the effect: whether a person has to agree to this call, and whether one did. */
import { createHash } from 'node:crypto';
import type { Caller } from '../kernel/access/caller.ts';
import { maskKeys } from '../kernel/access/key-format.ts';
import { askForApproval } from '../kernel/approvals/approval.ts';
import { APPROVAL_REQUEST } from '../kernel/approvals/kind.ts';
import { needsApproval } from '../kernel/approvals/needs-approval.ts';
import { redact } from '../kernel/approvals/redaction.ts';
import { lockApproval, markUsed } from '../kernel/approvals/store.ts';
import { approvalRequired, refusalOf } from '../kernel/approvals/verdict.ts';
import { canonicalJson } from '../kernel/audit/entry.ts';
import type { Done } from '../kernel/call.ts';
import type { EventActor } from '../kernel/events/event.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { micro } from '../kernel/micro.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { ResourceRef } from '../kernel/resource-ref.ts';
import type { Services } from '../kernel/services.ts';
import type { Db } from '../store/database.ts';
import { transact } from '../store/transaction.ts';
import { foresee, monthlyOf } from './dry-run.ts';
import type { Input } from './input.ts';

/** Taking back a question needs nobody's answer. */
const withdraws = ({ effects }: Done): boolean =>
  effects.some(({ type, name }) => type === 'operation' && name === APPROVAL_REQUEST);

function isGated(caller: Caller, endpoint: Endpoint, done: Done): boolean {
  if (withdraws(done)) return false;
  const { approvalOverMonthly } = caller.key;
  const isDear = approvalOverMonthly !== null && monthlyOf(done) > micro(approvalOverMonthly);
  return isDear || needsApproval(caller, endpoint);
}

/** What must be the same when the call comes again; secrets are in it only as part of a hash. */
function fingerprint({ incoming: { method, path } }: Exchange, input: Input): Buffer {
  const { query, body = null, ifMatch = null, ifNoneMatch = null } = input;
  const request = canonicalJson([method, path, query, body, ifMatch, ifNoneMatch]);
  return createHash('sha256').update(request).digest();
}

/** Ends the transaction of a call that nobody was asked about yet. */
export class Unapproved extends Error {
  readonly done: Done;
  constructor(done: Done) {
    super('not approved');
    this.done = done;
  }
}

/** In the transaction of the effect. The id of the approval that was used up, if one was needed. */
export async function checkApproval(
  tx: Db,
  exchange: Exchange,
  services: Services,
  { input, done }: { readonly input: Input; readonly done: Done },
): Promise<string | null> {
  const caller = callerOf(exchange);
  if (!isGated(caller, endpointOf(exchange), done)) return null;
  const named = exchange.incoming.headers['approval-id'];
  if (named === undefined) throw new Unapproved(done);
  const approval = await lockApproval(tx, caller.account.id, String(named));
  const isOurs = approval?.key_id === caller.key.id;
  if (approval === undefined || !isOurs || !approval.request_hash.equals(fingerprint(exchange, input)))
    throw new Problem('approval_mismatch');
  const refusal = refusalOf(approval, services.docsUrl);
  if (refusal !== null) throw refusal;
  await markUsed(tx, approval.operation_id);
  return approval.operation_id;
}

/** What the call would have done to what, as far as it exists. */
function subjectOf(endpoint: Endpoint, effects: readonly ResourceRef[]): ResourceRef {
  const [first] = effects;
  if (first === undefined) return { type: endpoint.resource.name, id: null, name: null };
  const { type, id, name } = first;
  return { type, id, name };
}

/** In a transaction of its own: that of the call was undone. */
export async function requestApproval(
  services: Services,
  exchange: Exchange,
  { input, done, actor }: { readonly input: Input; readonly done: Done; readonly actor: EventActor },
): Promise<Problem> {
  const endpoint = endpointOf(exchange);
  const { account, key } = callerOf(exchange);
  const { cost, effects } = foresee(services, done);
  const { method, path } = exchange.incoming;
  const approval = await transact(services.db, (tx) =>
    askForApproval(tx, services.registry, {
      accountId: account.id,
      actor,
      keyId: key.id,
      keyName: key.name,
      requestId: exchange.requestId,
      requestHash: fingerprint(exchange, input),
      endpointId: endpoint.id,
      permission: endpoint.permission,
      method,
      path: maskKeys(path),
      query: redact(undefined, input.query) as Record<string, unknown>,
      body: redact(endpoint.body, input.body),
      effects,
      cost,
      resource: subjectOf(endpoint, effects),
    }),
  );
  const detail = `A person has to approve this call of the key ${key.name} first: ${approval.operation_id}.`;
  return approvalRequired(approval, services.docsUrl, detail);
}
