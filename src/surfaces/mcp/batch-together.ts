/**
 * The changes of a batch, rehearsed one after the other in one transaction that is rolled back. So each of them shows what
 * it does after those before it, also to what they make.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Batch } from './batch-calls.ts';
import { awaited, type Expected, expectedOnceMade } from './batch-order.ts';
import { at, type Planned } from './batch-plan.ts';
import { type CallArguments, requestOf } from './calls.ts';
import { filled, neededBy } from './earlier-answers.ts';
import type { ApiCaller, CallRequest, Step, StepOutcome } from './inner-call.ts';
import { markNow, withReferences } from './made-ids.ts';
import { foreseenBy, type Rehearsal, rehearse } from './rehearsals.ts';
import { type Json, refusedOutcome } from './results.ts';

export interface Tried {
  readonly planned: readonly Planned[];
  readonly batch: Batch;
  /** The changes with ids in place of names, by number; late ones with their references. */
  readonly calls: ReadonlyMap<number, CallArguments>;
  /** What was found about each call alone; replaced by what is found about all together. */
  readonly rehearsals: Map<number, Rehearsal>;
  readonly expected: Map<number, Expected>;
  readonly late: ReadonlySet<number>;
}

/** The answers that are there, and examples of the others. */
export const examplesFor = (planned: readonly Planned[], batch: Batch): unknown[] =>
  planned.map(({ endpoint }, n) => batch.answers[n] ?? endpoint.example.answer.body);

/** No later moment makes these go away by itself. */
const LASTING = ['budget_exceeded', 'quota_exceeded', 'name_taken'];

function stepOf({ planned, batch }: Tried, i: number, call: CallArguments): Step {
  const { endpoint } = planned[i] as Planned;
  const request = (given: CallArguments): CallRequest =>
    requestOf(endpoint, { ...given, dry_run: true, wait_seconds: 0 });
  return {
    endpoint,
    sample: request(filled(call, examplesFor(planned, batch)).call),
    fill: (answers) => {
      const { call: ready, missing } = filled(call, answers);
      return missing.length > 0 ? undefined : request(ready);
    },
  };
}

/** The number of the last change whose answer the call needs. */
const lastNeeded = ({ needed }: Planned, { calls }: Tried): number =>
  Math.max(...needed.map(({ call }) => call).filter((number) => calls.has(number)));

/** Returns the refusal that ends the batch; undefined if the call may pass when its turn comes. */
function takeRefusal(tried: Tried, i: number, outcome: StepOutcome): CallToolResult | undefined {
  const { planned, calls, rehearsals, expected, late } = tried;
  const each = planned[i] as Planned;
  const { endpoint } = each;
  const { status, body } = outcome;
  const ends = at(i, refusedOutcome(outcome), { nothing_changed: true });
  if (LASTING.includes(String((body as Json)['code'])) && !expected.has(i)) return ends;
  if (status >= 500 || expected.has(i)) return undefined;
  const refused = { endpoint, call: calls.get(i) as CallArguments, trial: outcome, isLate: late.has(i) };
  if (!late.has(i)) {
    const before = new Map([...rehearsals].filter(([number]) => number < i));
    return awaited(refused, before) === undefined ? ends : undefined;
  }
  if (status === 409) {
    const waiting = expectedOnceMade(refused, lastNeeded(each, tried));
    expected.set(i, waiting);
    rehearsals.set(i, waiting.rehearsal);
    return undefined;
  }
  // The engine was asked about something that it does not know yet.
  return endpoint.prepare === undefined ? ends : undefined;
}

/** The call without the members that refer to earlier answers; undefined if it is about one of them. */
function withoutReferences(call: CallArguments): { bare: CallArguments; left: string[] } | undefined {
  const { path, query, body = {} } = call;
  if (neededBy({ operation: call.operation, path: { ...path }, query: { ...query } }).length > 0)
    return undefined;
  const refers = ([name, value]: [string, unknown]): boolean =>
    neededBy({ operation: call.operation, body: { [name]: value } }).length > 0;
  const members = Object.entries(body);
  const bare = { ...call, body: Object.fromEntries(members.filter((each) => !refers(each))) };
  return { bare, left: members.filter(refers).map(([name]) => name) };
}

/** The price of a creation that waits for an earlier call, as far as it is known without that call. */
async function addPrice(api: ApiCaller, tried: Tried, i: number, waiting: Expected): Promise<void> {
  const { endpoint, call, trial, note } = waiting.rehearsal;
  const without = endpoint.resource.role === 'create' ? withoutReferences(call) : undefined;
  if (without === undefined) return;
  const { trial: priced } = await rehearse(api, endpoint, without.bare);
  if (priced.isRefused) return;
  const body = { ...(trial.body as Json), cost: foreseenBy(priced).cost };
  const said = `${note} The price is that without ${without.left.join(', ')}.`;
  tried.rehearsals.set(i, { ...waiting.rehearsal, trial: { ...trial, body }, note: said });
}

/** Returns the refusal that ends the batch before anything was changed. */
export async function rehearseInOrder(api: ApiCaller, tried: Tried): Promise<CallToolResult | undefined> {
  const { planned, batch, calls, rehearsals, expected, late } = tried;
  if (calls.size < 2) return undefined;
  const since = markNow();
  const steps = new Map([...calls].map(([i, call]) => [i, stepOf(tried, i, call)]));
  const outcomes = await api.rehearse(steps, batch.answers);
  const answers = planned.map((_, i) => batch.answers[i] ?? outcomes.get(i)?.answer);
  for (const [i, found] of outcomes) {
    const outcome = { ...found, body: withReferences(found.body, answers, since) };
    if (outcome.isRefused) {
      const refused = takeRefusal(tried, i, outcome);
      if (refused !== undefined) return refused;
      continue;
    }
    expected.delete(i);
    rehearsals.set(i, {
      endpoint: outcome.endpoint,
      call: calls.get(i) as CallArguments,
      trial: outcome,
      isLate: late.has(i),
      isShared: true,
    });
  }
  for (const [i, waiting] of expected) if (late.has(i)) await addPrice(api, tried, i, waiting);
  return undefined;
}
