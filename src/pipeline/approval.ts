/** The last check before a change takes effect: whether a person must approve the call, and whether a person did. */
import { createHash } from 'node:crypto';
import type { Caller } from '../kernel/access/caller.ts';
import { maskKeys } from '../kernel/access/key-format.ts';
import { askForApproval } from '../kernel/approvals/approval.ts';
import { APPROVAL_REQUEST } from '../kernel/approvals/kind.ts';
import { needsApproval } from '../kernel/approvals/needs-approval.ts';
import { redact } from '../kernel/approvals/redaction.ts';
import { type ApprovalRow, lockApproval, markUsed } from '../kernel/approvals/store.ts';
import { approvalRequired, refusalOf } from '../kernel/approvals/verdict.ts';
import { canonicalJson } from '../kernel/audit/canonical-json.ts';
import type { Done } from '../kernel/call.ts';
import type { ForeseenChange } from '../kernel/change-words/change-words.ts';
import { mayLoosen } from '../kernel/change-words/may-loosen.ts';
import { isForGood } from '../kernel/effect.ts';
import type { EventActor } from '../kernel/events/event.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { micro } from '../kernel/micro.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { ResourceRef } from '../kernel/resource-ref.ts';
import type { Services } from '../kernel/services.ts';
import type { Db } from '../store/database.ts';
import { transact } from '../store/transaction.ts';
import { changesOf, foresee, monthlyOf } from './dry-run.ts';
import type { Input } from './input.ts';

/** A call that cancels a pending approval request needs no approval itself. */
const withdraws = ({ effects }: Done): boolean =>
  effects.some(({ type, name }) => type === 'operation' && name === APPROVAL_REQUEST);

function isDear({ key }: Caller, done: Done): boolean {
  const most = key?.approvalOverMonthly ?? null;
  return most !== null && monthlyOf(done) > micro(most);
}

function isGated(caller: Caller, endpoint: Endpoint, done: Done): boolean {
  if (withdraws(done)) return false;
  // What a write takes away for good depends on the request: forcing a machine off, or restoring a volume.
  const access = done.effects.some(isForGood) ? 'destructive' : endpoint.access;
  return isDear(caller, done) || needsApproval(caller, { access });
}

/** Whether the call is gated if it loosens something. Only its words tell, so only for such calls they are made. */
const isGatedIfLoosening = (caller: Caller, endpoint: Endpoint, done: Done): boolean =>
  mayLoosen(endpoint) && !withdraws(done) && needsApproval(caller, { access: 'destructive' });

const loosenings = (changes: readonly ForeseenChange[]): string[] =>
  changes.filter(({ loosens }) => loosens).map(({ text }) => text);

/** Whether the person who approved has read all sentences. Requests from before there were sentences have none. */
function hasRead({ changes: approved }: ApprovalRow, changes: readonly ForeseenChange[]): boolean {
  const read = approved && new Set(approved.map(({ text }) => text));
  return read === null || changes.every(({ text }) => read.has(text));
}

/**
 * Hashes every part of the request that a repeat must send unchanged. Secrets are stored only as part of the hash.
 */
function fingerprint({ incoming: { method, path } }: Exchange, input: Input): Buffer {
  const { query, body = null, ifMatch = null, ifNoneMatch = null } = input;
  const request = canonicalJson([method, path, query, body, ifMatch, ifNoneMatch]);
  return createHash('sha256').update(request).digest();
}

/** Rolls back the transaction of a call that needs approval and has none for what it changes. */
export class Unapproved extends Error {
  readonly done: Done;
  /** In words, made before the rollback: they describe the changed rows. */
  readonly changes: ForeseenChange[];
  /** The approval that the call names, if what the call changes now is not what the person has read. */
  readonly outdated: string | null;
  constructor(done: Done, changes: ForeseenChange[], outdated: string | null = null) {
    super('not approved');
    this.done = done;
    this.changes = changes;
    this.outdated = outdated;
  }
}

/**
 * Runs in the transaction of the change. Marks the approval as used and returns its id, or null if the call needs no
 * approval.
 */
export async function checkApproval(
  tx: Db,
  exchange: Exchange,
  services: Services,
  { input, done }: { readonly input: Input; readonly done: Done },
): Promise<string | null> {
  const caller = callerOf(exchange);
  const endpoint = endpointOf(exchange);
  const describe = () => changesOf(tx, services, caller.account.id, done);
  let changes: ForeseenChange[] | undefined;
  if (!isGated(caller, endpoint, done)) {
    if (!isGatedIfLoosening(caller, endpoint, done)) return null;
    changes = await describe();
    if (loosenings(changes).length === 0) return null;
  }
  const named = exchange.incoming.headers['approval-id'];
  if (named === undefined) throw new Unapproved(done, changes ?? (await describe()));
  const approval = await lockApproval(tx, caller.account.id, String(named));
  const isOurs = approval !== undefined && caller.key?.lineage.includes(approval.key_id);
  if (!isOurs || !approval.request_hash.equals(fingerprint(exchange, input)))
    throw new Problem('approval_mismatch');
  const refusal = refusalOf(approval, services.approvalsUrl);
  if (refusal !== null) throw refusal;
  changes ??= await describe();
  if (!hasRead(approval, changes)) throw new Unapproved(done, changes, approval.operation_id);
  await markUsed(tx, approval.operation_id);
  return approval.operation_id;
}

/** The first resource that the call would change. If the call reports no effect, only the resource type is known. */
function subjectOf(endpoint: Endpoint, effects: readonly ResourceRef[]): ResourceRef {
  const [first] = effects;
  if (first === undefined) return { type: endpoint.resource.name, id: null, name: null };
  const { type, id, name } = first;
  return { type, id, name };
}

/** What the call takes away for good, each sentence once. */
const lossesIn = ({ effects }: Done): string[] => [
  ...new Set(effects.filter(isForGood).flatMap(({ loss }) => loss?.what ?? [])),
];

/** The person who decides sees all sentences; the key that asks is told the first of those that loosen. */
const MOST_REASONS = 3;

/** Uses its own transaction, because the call's transaction was rolled back. */
export async function requestApproval(
  services: Services,
  exchange: Exchange,
  { done, changes, outdated }: Unapproved,
  { input, actor }: { readonly input: Input; readonly actor: EventActor },
): Promise<Problem> {
  const endpoint = endpointOf(exchange);
  const caller = callerOf(exchange);
  const { account, key } = caller;
  if (key === null) throw new Error('A person who is signed in was asked for an approval.');
  const { cost, effects } = foresee(services, done);
  const { method, path } = exchange.incoming;
  const approval = await transact(services.db, (tx) =>
    askForApproval(tx, services.registry, {
      accountId: account.id,
      actor,
      keyId: key.id,
      lineage: key.lineage,
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
      changes,
      cost,
      resource: subjectOf(endpoint, effects),
    }),
  );
  const loosened = loosenings(changes);
  // The record of a destructive endpoint says so already.
  const lost = endpoint.access === 'destructive' ? [] : lossesIn(done);
  const why = [
    ...(outdated === null ? [] : [` Since ${outdated} was requested, what the call changes has changed.`]),
    ...(lost.length === 0 ? [] : [` Lost for good: ${lost.slice(0, MOST_REASONS).join(' ')}`]),
    ...(loosened.length === 0
      ? []
      : [` It loosens a protection: ${loosened.slice(0, MOST_REASONS).join('; ')}.`]),
    ...(isDear(caller, done)
      ? [
          ` It adds ${cost.monthly} ${cost.currency} a month; the key may add ${key.approvalOverMonthly} without approval.`,
        ]
      : []),
  ].join('');
  const detail = `A person has to approve this call of the key ${key.name} first: ${approval.operation_id}.${why}`;
  return approvalRequired(approval, services.approvalsUrl, detail);
}
