/** The calls of a batch before the first of them changes something: checked, rehearsed, and those that read are made. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Batch, type BatchArguments } from './batch-calls.ts';
import { awaited, type Expected, expectedAfter } from './batch-order.ts';
import { at, certainRefusal, type Planned, plan } from './batch-plan.ts';
import { examplesFor, rehearseInOrder } from './batch-together.ts';
import { type CallArguments, requestOf } from './calls.ts';
import { Changes } from './confirmation.ts';
import { marked } from './customer-text.ts';
import type { CallTool } from './describe.ts';
import { filled } from './earlier-answers.ts';
import { shorten } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { freshIdsIn, markNow, withReferences } from './made-ids.ts';
import { withIds } from './names.ts';
import { foreseenBy, type Rehearsal, rehearse, totalCost } from './rehearsals.ts';
import { type Json, problemAnswer, refusal, refusedOutcome } from './results.ts';
import { unfolded } from './unfold.ts';

interface Late {
  /** The call with ids in place of names, and with its references. */
  readonly call: CallArguments;
  readonly rehearsal?: Rehearsal;
}

/** A late call, tried with examples of the answers that are not there yet; undefined if that says nothing. */
async function tryLate(
  api: ApiCaller,
  batch: Batch,
  planned: readonly Planned[],
  i: number,
): Promise<Late | CallToolResult | undefined> {
  const { endpoint, given, needed } = planned[i] as Planned;
  const examples = examplesFor(planned, batch);
  if (filled(given, examples).missing.length > 0) return undefined;
  // Names that answers will have are looked up when the call is made.
  if (needed.some(({ names, isWhole, at }) => isWhole && names.at(-1) === 'name' && at === 'path/id'))
    return undefined;
  const since = markNow();
  const fresh = planned.map(
    ({ endpoint: each }, n) => batch.answers[n] ?? freshIdsIn(each.example.answer.body),
  );
  const named = await withIds(api, endpoint, filled(given, fresh).call);
  if ('content' in named) return named;
  const call = withReferences(named, fresh, since);
  const sample = filled(call, examples).call;
  const refusalOf = (outcome: Outcome): CallToolResult | undefined => {
    const certain = outcome.isRefused ? certainRefusal(outcome, planned[i] as Planned) : undefined;
    return certain && refusal(problemAnswer(certain, outcome.isOurs));
  };
  if (endpoint.access === 'read') {
    // A refused read of a secret would stand in the audit log, though nobody wanted to read it.
    if (api.services.registry.audited.has(endpoint.id)) return undefined;
    return refusalOf(await api.call(endpoint, requestOf(endpoint, sample)));
  }
  const rehearsal = await rehearse(api, endpoint, sample);
  if (rehearsal.trial.isRefused) return refusalOf(rehearsal.trial) ?? { call };
  return { call, rehearsal: { ...rehearsal, call, isLate: true } };
}

export interface Rehearsed {
  readonly planned: readonly Planned[];
  readonly batch: Batch;
  /** By the number of the call. */
  readonly rehearsals: ReadonlyMap<number, Rehearsal>;
  /** By the number of the call: what is refused as things are, and checked again after a call before it. */
  readonly expected: ReadonlyMap<number, Expected>;
  /** The numbers of the calls that others wait for. */
  readonly holding: ReadonlySet<number>;
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
  const calls = new Map<number, CallArguments>();
  const unchanged = { nothing_changed: true };
  for (const [i, each] of planned.entries()) {
    if (batch.isLate(each)) {
      late.add(i);
      const tried = await tryLate(api, batch, planned, i);
      if (tried !== undefined && 'content' in tried) return at(i, tried, unchanged);
      if (tried === undefined) continue;
      calls.set(i, tried.call);
      if (tried.rehearsal !== undefined) rehearsals.set(i, tried.rehearsal);
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
    calls.set(i, rehearsal.call);
  }
  const awaitedAlone = [...expected.values()];
  const refused = await rehearseInOrder(api, { planned, batch, calls, rehearsals, expected, late });
  if (refused !== undefined) return refused;
  const inOrder = new Map([...rehearsals].sort(([a], [b]) => a - b));
  const holding = new Set([...awaitedAlone, ...expected.values()].map(({ after }) => after));
  const more = [...late].map((i) => unfolded(planned[i]?.given));
  return { planned, batch, rehearsals: inOrder, expected, holding, late, more };
}

const LATER = 'Nothing but its input could be checked: neither its price nor what it does is known.';
const EXAMPLES = 'It was tried with examples of the answers that it needs.';

/** For the person who confirms: what each change of the batch does, also those that need no confirmation. */
export function summaryOf({ services }: ApiCaller, { planned, batch, rehearsals, late }: Rehearsed): Json {
  const all = planned.flatMap(({ endpoint }, i): Json[] => {
    if (endpoint.access === 'read' || batch.isMade(i)) return [];
    const found = rehearsals.get(i);
    const { changes, cost } = found === undefined ? { changes: [], cost: null } : foreseenBy(found.trial);
    const examples = late.has(i) && !found?.isShared ? EXAMPLES : undefined;
    const note = found === undefined ? LATER : (found.note ?? examples);
    return [
      {
        call: i,
        operation: endpoint.id,
        ...(changes.length === 0 ? {} : (marked({ changes }, Changes, services) as Json)),
        ...(note === undefined ? {} : { not_foreseen: note }),
        cost_change: cost,
      },
    ];
  });
  return { all_calls: shorten(all).value, cost_change_of_all: totalCost([...rehearsals.values()]) };
}
