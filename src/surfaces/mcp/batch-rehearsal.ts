/** The calls of a batch before the first of them changes something: checked, rehearsed, and those that read are made. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Batch, type BatchArguments } from './batch-calls.ts';
import { awaited, type Expected, expectedAfter } from './batch-order.ts';
import { at, certainRefusal, type Planned, plan } from './batch-plan.ts';
import { requestOf } from './calls.ts';
import type { CallTool } from './describe.ts';
import { filled } from './earlier-answers.ts';
import type { ApiCaller } from './inner-call.ts';
import { type Rehearsal, rehearse } from './rehearsals.ts';
import { problemAnswer, refusal, refusedOutcome } from './results.ts';
import { unfolded } from './unfold.ts';

/** A late call, tried with examples of the answers that are not there yet. */
async function tryLate(
  api: ApiCaller,
  batch: Batch,
  planned: readonly Planned[],
  i: number,
): Promise<Rehearsal | CallToolResult | undefined> {
  const each = planned[i] as Planned;
  const examples = planned.map(({ endpoint }, n) => batch.answers[n] ?? endpoint.example.answer.body);
  if (filled(each.given, examples).missing.length > 0) return undefined;
  const call = await batch.ready(each, i, examples);
  if ('content' in call) return call;
  const { endpoint } = each;
  if (endpoint.access === 'read') {
    // A refused read of a secret would stand in the audit log, though nobody wanted to read it.
    if (api.services.registry.audited.has(endpoint.id)) return undefined;
    const outcome = await api.call(endpoint, requestOf(endpoint, call));
    const certain = outcome.isRefused ? certainRefusal(outcome, each) : undefined;
    return certain && refusal(problemAnswer(certain, outcome.isOurs));
  }
  const rehearsal = await rehearse(api, endpoint, call);
  if (!rehearsal.trial.isRefused) return rehearsal;
  const certain = certainRefusal(rehearsal.trial, each);
  return certain && refusal(problemAnswer(certain, rehearsal.trial.isOurs));
}

export interface Rehearsed {
  readonly planned: readonly Planned[];
  readonly batch: Batch;
  /** By the number of the call. */
  readonly rehearsals: ReadonlyMap<number, Rehearsal>;
  /** By the number of the call: what is refused as things are, and checked again after a call before it. */
  readonly expected: ReadonlyMap<number, Expected>;
  /** The numbers of the calls that need answers of changes. */
  readonly late: ReadonlySet<number>;
  /** What the confirmation is bound to besides: calls as they are before the answers that they need. */
  readonly more: readonly unknown[];
}

/** Checks and rehearses all calls, and makes those that only read. Nothing is changed. */
export async function rehearseAll(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
): Promise<Rehearsed | CallToolResult> {
  const planned = plan(api, tool, given.calls, given.idempotency_key !== undefined);
  if ('content' in planned) return planned;
  const batch = new Batch(api, given);
  const rehearsals = new Map<number, Rehearsal>();
  const expected = new Map<number, Expected>();
  const late = new Set<number>();
  const unchanged = { nothing_changed: true };
  for (const [i, each] of planned.entries()) {
    if (batch.isLate(each)) {
      late.add(i);
      const tried = await tryLate(api, batch, planned, i);
      if (tried !== undefined && 'content' in tried) return at(i, tried, unchanged);
      if (tried !== undefined) rehearsals.set(i, tried);
      continue;
    }
    const unseen = await batch.repeat(each, i);
    if (unseen !== undefined) return at(i, unseen, unchanged);
    if (batch.isMade(i)) continue;
    const call = await batch.ready(each, i);
    if ('content' in call) return at(i, call);
    if (each.endpoint.access === 'read') {
      const refused = await batch.read(each, call, i);
      if (refused !== undefined) return at(i, refused, unchanged);
      continue;
    }
    const rehearsal = await rehearse(api, each.endpoint, call);
    const after = rehearsal.trial.isRefused ? awaited(rehearsal, rehearsals) : undefined;
    if (after !== undefined) expected.set(i, await expectedAfter(api, rehearsal, after));
    else if (rehearsal.trial.isRefused) return at(i, refusedOutcome(rehearsal.trial), unchanged);
    rehearsals.set(i, expected.get(i)?.rehearsal ?? rehearsal);
  }
  const more = [...late].map((i) => unfolded(planned[i]?.given));
  return { planned, batch, rehearsals, expected, late, more };
}
