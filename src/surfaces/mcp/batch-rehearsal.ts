/** The calls of a batch before the first of them changes something: checked, rehearsed, and those that read are made. */
import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../kernel/audit/entry.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { at, certainRefusal, jsonOf, type Planned, plan } from './batch-plan.ts';
import { type CallArguments, requestOf, singleResult } from './calls.ts';
import { shownChange } from './change.ts';
import type { CallTool } from './describe.ts';
import { filled } from './earlier-answers.ts';
import { BUDGET } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { withIds } from './names.ts';
import { type Rehearsal, rehearse } from './rehearsals.ts';
import { type Json, problemAnswer, refusal, refusedOutcome } from './results.ts';
import { unfolded } from './unfold.ts';

export interface BatchArguments extends Omit<CallArguments, 'operation'> {
  readonly calls: readonly CallArguments[];
}

/** A repeat with the same key has the same calls, but perhaps not all of them: a number would name another call. */
function keyFor(key: string, { operation, path, query, body }: CallArguments): string {
  const facts = canonicalJson([operation, path, query, unfolded(body)]);
  return `${key}-${createHash('sha256').update(facts).digest('hex').slice(0, 12)}`;
}

export class Batch {
  readonly #api: ApiCaller;
  readonly #shared: Omit<BatchArguments, 'calls'>;
  readonly #budget: number;
  readonly answers: unknown[] = [];
  readonly shown: Json[] = [];

  constructor(api: ApiCaller, { calls, ...shared }: BatchArguments) {
    this.#api = api;
    this.#shared = shared;
    this.#budget = BUDGET / calls.length;
  }

  /** The call with values and ids in place of texts that stand for them. */
  async ready(
    { endpoint, given }: Planned,
    i: number,
    answers: readonly unknown[] = this.answers,
  ): Promise<CallArguments | CallToolResult> {
    const { idempotency_key: key, wait_seconds } = this.#shared;
    const { call, missing } = filled(given, answers);
    if (missing.length > 0)
      return refusal({
        code: 'unknown_answer',
        detail: `An earlier answer has no value for a member that call ${i} uses. Nothing was done.`,
        next_step: 'Look at the earlier answers, and send the value instead.',
      });
    const resolved = await withIds(this.#api, endpoint, call);
    if ('content' in resolved) return resolved;
    return {
      ...resolved,
      ...(key === undefined ? {} : { idempotency_key: keyFor(key, resolved) }),
      ...(wait_seconds === undefined ? {} : { wait_seconds }),
    };
  }

  async read({ endpoint }: Planned, call: CallArguments, i: number): Promise<CallToolResult | undefined> {
    const outcome = await this.#api.call(endpoint, requestOf(endpoint, call));
    const options = { budget: this.#budget };
    return this.#note(outcome, i, singleResult(this.#api, outcome, undefined, {}, options));
  }

  async make(endpoint: Endpoint, call: CallArguments, i: number): Promise<CallToolResult | undefined> {
    const outcome = await this.#api.call(endpoint, requestOf(endpoint, call));
    return this.#note(outcome, i, shownChange(this.#api, outcome, undefined));
  }

  #note(outcome: Outcome, i: number, result: CallToolResult): CallToolResult | undefined {
    if (outcome.isRefused) return refusedOutcome(outcome);
    this.answers[i] = outcome.body;
    this.shown[i] = { call: outcome.endpoint.id, ...jsonOf(result) };
    return undefined;
  }
}

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
  /** What the confirmation is bound to besides: calls as they are before the answers that they need. */
  readonly more: readonly unknown[];
}

/** Checks and rehearses all calls, and makes those that only read. Nothing is changed. */
export async function rehearseAll(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
): Promise<Rehearsed | CallToolResult> {
  const planned = plan(api, tool, given.calls);
  if ('content' in planned) return planned;
  const batch = new Batch(api, given);
  const rehearsals = new Map<number, Rehearsal>();
  const unchanged = { nothing_changed: true };
  for (const [i, each] of planned.entries()) {
    if (each.isLate) {
      const tried = await tryLate(api, batch, planned, i);
      if (tried !== undefined && 'content' in tried) return at(i, tried, unchanged);
      if (tried !== undefined) rehearsals.set(i, tried);
      continue;
    }
    const call = await batch.ready(each, i);
    if ('content' in call) return at(i, call);
    if (each.endpoint.access === 'read') {
      const refused = await batch.read(each, call, i);
      if (refused !== undefined) return at(i, refused, unchanged);
      continue;
    }
    const rehearsal = await rehearse(api, each.endpoint, call);
    if (rehearsal.trial.isRefused) return at(i, refusedOutcome(rehearsal.trial), unchanged);
    rehearsals.set(i, rehearsal);
  }
  const late = planned.filter(({ isLate }) => isLate).map(({ given: call }) => unfolded(call));
  return { planned, batch, rehearsals, more: late };
}
