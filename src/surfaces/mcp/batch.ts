/**
 * Several calls in one call of a tool, one after the other. Those that need nothing from a change before them are
 * rehearsed before the first is made, and one token confirms them all. It stops at the first call that is refused.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../kernel/record.ts';
import { Shape, Type } from '../../kernel/schema.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { type CallArguments, callOf, requestOf, singleResult } from './calls.ts';
import { shownChange } from './change.ts';
import { confirmed, offerOf } from './confirmation.ts';
import type { CallTool } from './describe.ts';
import { filled, neededBy } from './earlier-answers.ts';
import { shorten } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { withIds } from './names.ts';
import { foreseenBy, isRehearsed, needsConfirmation, type Rehearsal, rehearse } from './rehearsals.ts';
import { type Json, refusal, refusedOutcome, success } from './results.ts';

export interface BatchArguments extends Omit<CallArguments, 'operation'> {
  readonly calls: readonly CallArguments[];
}

const Anything = Type.Optional(Type.Unsafe<object>({ type: 'object' }));
const Call = Shape({ operation: Type.String(), path: Anything, query: Anything, body: Anything });

interface Planned {
  readonly endpoint: Endpoint;
  readonly given: CallArguments;
  /** Whether it needs the answer of a change, so that it can be rehearsed only after that change. */
  readonly isLate: boolean;
}

const jsonOf = ({ content }: CallToolResult): Json =>
  JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '{}') as Json;

/** A refusal of one call, with its number. */
const at = (number: number, result: CallToolResult, more: Json = {}): CallToolResult => ({
  ...success({ ...jsonOf(result), call: number, ...more }),
  isError: true,
});

const wrong = (number: number, code: string, detail: string, next_step: string): CallToolResult =>
  at(number, refusal({ code, detail: `${detail} Nothing was done.`, next_step }));

/** The calls with their endpoints, or why they cannot be made in one batch. */
function plan(api: ApiCaller, tool: CallTool, calls: readonly CallArguments[]): Planned[] | CallToolResult {
  const planned: Planned[] = [];
  for (const [i, given] of calls.entries()) {
    const [fault] = faultsOf(Call, given);
    if (fault !== undefined)
      return wrong(
        i,
        'validation_failed',
        `calls/${i} is not valid.`,
        'Send operation, path, query and body.',
      );
    const endpoint = callOf(api.services.registry.endpoints, tool, given, true);
    if ('content' in endpoint) return at(i, endpoint);
    const needed = neededBy(given);
    if (needed.some((each) => each >= i))
      return wrong(
        i,
        'unknown_answer',
        `Call ${i} uses an answer that is not there yet.`,
        'Use $0, $1 … of earlier calls only.',
      );
    const isLate = needed.some((each) => planned[each]?.isLate || planned[each]?.endpoint.access !== 'read');
    if (isLate && endpoint.access === 'destructive')
      return wrong(
        i,
        'not_in_one_batch',
        `${endpoint.id} destroys something that only an earlier change names, so it cannot be rehearsed.`,
        'Make this call by itself, after the others.',
      );
    planned.push({ endpoint, given, isLate });
  }
  return planned;
}

class Batch {
  readonly #api: ApiCaller;
  readonly #shared: Omit<BatchArguments, 'calls'>;
  readonly #answers: unknown[] = [];
  readonly shown: Json[] = [];

  constructor(api: ApiCaller, { calls: _, ...shared }: BatchArguments) {
    this.#api = api;
    this.#shared = shared;
  }

  /** The call with values and ids in place of texts that stand for them. */
  async ready({ endpoint, given }: Planned, i: number): Promise<CallArguments | CallToolResult> {
    const { idempotency_key: key, wait_seconds } = this.#shared;
    const { call, missing } = filled(given, this.#answers);
    if (missing.length > 0)
      return refusal({
        code: 'unknown_answer',
        detail: `An earlier answer has no such member, which call ${i} uses.`,
        next_step: 'Look at the members of the answers, and repeat this call and those after it.',
      });
    const shared = {
      ...(key === undefined ? {} : { idempotency_key: `${key}-${i}` }),
      ...(wait_seconds === undefined ? {} : { wait_seconds }),
    };
    return withIds(this.#api, endpoint, { ...call, ...shared });
  }

  async read({ endpoint }: Planned, call: CallArguments, i: number): Promise<CallToolResult | undefined> {
    const outcome = await this.#api.call(endpoint, requestOf(endpoint, call));
    return this.#note(outcome, i, singleResult(this.#api, outcome, undefined));
  }

  async make(endpoint: Endpoint, call: CallArguments, i: number): Promise<CallToolResult | undefined> {
    const outcome = await this.#api.call(endpoint, requestOf(endpoint, call));
    return this.#note(outcome, i, shownChange(this.#api, outcome, undefined));
  }

  #note(outcome: Outcome, i: number, result: CallToolResult): CallToolResult | undefined {
    if (outcome.isRefused) return refusedOutcome(outcome);
    this.#answers[i] = outcome.body;
    this.shown[i] = { call: outcome.endpoint.id, ...jsonOf(result) };
    return undefined;
  }
}

export async function callBatch(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
): Promise<CallToolResult> {
  const planned = plan(api, tool, given.calls);
  if ('content' in planned) return planned;
  const batch = new Batch(api, given);
  const rehearsals = new Map<number, Rehearsal>();
  for (const [i, each] of planned.entries()) {
    if (each.isLate) continue;
    const call = await batch.ready(each, i);
    if ('content' in call) return at(i, call);
    if (each.endpoint.access === 'read') {
      const refused = await batch.read(each, call, i);
      if (refused !== undefined) return at(i, refused, { nothing_changed: true });
      continue;
    }
    const rehearsal = await rehearse(api, each.endpoint, call);
    if (rehearsal.trial.isRefused) return at(i, refusedOutcome(rehearsal.trial), { nothing_changed: true });
    rehearsals.set(i, rehearsal);
  }
  const list = [...rehearsals.values()];
  if (given.dry_run === true)
    return rehearsed(api, planned, rehearsals, await offerOf(api, list, given.calls));
  const calls = await confirmed(api, list, given.confirm, given.calls);
  if ('content' in calls) return calls;
  const bound = new Map([...rehearsals.keys()].map((i, n) => [i, calls[n] as CallArguments]));
  for (const [i, each] of planned.entries()) {
    if (each.endpoint.access === 'read' && !each.isLate) continue;
    const refused = await makeOne(api, batch, each, i, bound.get(i));
    if (refused !== undefined)
      return at(i, refused, { made: batch.shown.slice(0, i), not_made: planned.length - i });
  }
  return success({ status: 200, calls: shorten(batch.shown).value });
}

/** A late call is rehearsed now: if it needs a confirmation, the batch ends before it. */
async function makeOne(
  api: ApiCaller,
  batch: Batch,
  each: Planned,
  i: number,
  bound: CallArguments | undefined,
): Promise<CallToolResult | undefined> {
  if (bound !== undefined) return batch.make(each.endpoint, bound, i);
  const call = await batch.ready(each, i);
  if ('content' in call) return call;
  if (each.endpoint.access === 'read') return batch.read(each, call, i);
  if (!isRehearsed(each.endpoint)) return batch.make(each.endpoint, call, i);
  const rehearsal = await rehearse(api, each.endpoint, call);
  if (rehearsal.trial.isRefused) return refusedOutcome(rehearsal.trial);
  if (!needsConfirmation(rehearsal)) return batch.make(each.endpoint, rehearsal.call, i);
  const asked = await confirmed(api, [rehearsal], undefined);
  return 'content' in asked ? asked : batch.make(each.endpoint, rehearsal.call, i);
}

function rehearsed(
  api: ApiCaller,
  planned: readonly Planned[],
  rehearsals: ReadonlyMap<number, Rehearsal>,
  offer: Json,
): CallToolResult {
  const calls = planned.map(({ endpoint, isLate }, i): Json => {
    const trial = rehearsals.get(i)?.trial;
    if (trial === undefined)
      return { call: endpoint.id, ...(isLate ? { rehearsed: 'only after the calls before it' } : {}) };
    return {
      call: endpoint.id,
      ...jsonOf(singleResult(api, trial, ['effects', 'changes', 'warnings'])),
      price: foreseenBy(trial).cost,
    };
  });
  return success({ dry_run: true, calls: shorten(calls).value, ...offer });
}
