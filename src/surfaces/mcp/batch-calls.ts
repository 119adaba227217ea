/**
 * The calls of a batch on their way: filled with earlier answers, made, and remembered. With an `idempotency_key`, each
 * call has a key of its own, so that a repeated batch gets the answers of the calls that were made, and makes the others.
 */
import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../kernel/audit/canonical-json.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { jsonOf, type Planned } from './batch-plan.ts';
import { type CallArguments, requestOf, singleResult } from './calls.ts';
import { shownChange } from './change.ts';
import { filled } from './earlier-answers.ts';
import { BUDGET } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { withIds } from './names.ts';
import { type Json, refusal, refusedOutcome } from './results.ts';
import { unfolded } from './unfold.ts';

export interface BatchArguments extends Omit<CallArguments, 'operation'> {
  readonly calls: readonly CallArguments[];
}

/**
 * The key of one call: what the call says, not its number, because a repeat may have only the calls that are left. Names
 * are not looked up for it: what was deleted has none any more.
 */
function keyFor(key: string, { operation, path, query, body }: CallArguments): string {
  const facts = canonicalJson([key, operation, path, query, unfolded(body)]);
  return `batch-${createHash('sha256').update(facts).digest('hex')}`;
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

  isMade(i: number): boolean {
    return this.shown[i] !== undefined;
  }

  /** Whether the call uses an answer that is not there yet. */
  isLate({ needed }: Planned): boolean {
    return needed.some(({ call }) => !this.isMade(call));
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
      ...(key === undefined ? {} : { idempotency_key: keyFor(key, call) }),
      ...(wait_seconds === undefined ? {} : { wait_seconds }),
    };
  }

  /** Takes over the answer of a call that was made before with the same key; the refusal if the caller may not see it. */
  async repeat({ endpoint, given }: Planned, i: number): Promise<CallToolResult | undefined> {
    const { idempotency_key: key } = this.#shared;
    const { call, missing } = filled(given, this.answers);
    if (key === undefined || endpoint.access === 'read' || missing.length > 0) return undefined;
    const outcome = await this.#api.repeated(endpoint, call, keyFor(key, call));
    if (outcome === undefined) return undefined;
    return this.#note(outcome, i, shownChange(this.#api, outcome, undefined), { replayed: true });
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

  #note(outcome: Outcome, i: number, result: CallToolResult, more: Json = {}): CallToolResult | undefined {
    if (outcome.isRefused) return refusedOutcome(outcome);
    this.answers[i] = outcome.body;
    this.shown[i] = { call: outcome.endpoint.id, ...more, ...jsonOf(result) };
    return undefined;
  }
}
