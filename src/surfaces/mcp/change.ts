/** Makes calls that change something: rehearsed first, and confirmed if they destroy or loosen something. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../kernel/record.ts';
import { type CallArguments, changeResult, requestOf } from './calls.ts';
import { confirmed, offerOf } from './confirmation.ts';
import { brief, pick, refusedFields } from './fields.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { isRehearsed, rehearse } from './rehearsals.ts';
import { refusedOutcome } from './results.ts';

/** A short answer, or the members that the model asked for. */
export function shownChange(
  api: ApiCaller,
  outcome: Outcome,
  fields: CallArguments['fields'],
): CallToolResult {
  const isTrial = (outcome.body as { dry_run?: unknown } | null)?.dry_run === true;
  if (isTrial || outcome.isRefused) return changeResult(api, outcome);
  const { endpoints } = api.services.registry;
  return changeResult(api, outcome, {}, fields ? pick(outcome.body, fields) : brief(outcome, endpoints));
}

export async function callChange(
  api: ApiCaller,
  endpoint: Endpoint,
  given: CallArguments,
): Promise<CallToolResult> {
  const make = async (call: CallArguments): Promise<CallToolResult> =>
    shownChange(api, await api.call(endpoint, requestOf(endpoint, call)), given.fields);
  const wrong = refusedFields(endpoint, given.fields);
  if (wrong !== undefined) return wrong;
  if (!isRehearsed(endpoint)) return make(given);
  const rehearsal = await rehearse(api, endpoint, given);
  const { trial } = rehearsal;
  // What is deleted already cannot be rehearsed again: a repeat gets its answer by the idempotency key. Any other refusal
  // may have passed when the call is made, and nobody would have confirmed it.
  if (trial.isRefused)
    return trial.status === 404 && given.idempotency_key !== undefined && given.dry_run !== true
      ? make(rehearsal.call)
      : refusedOutcome(trial);
  if (given.dry_run === true) return changeResult(api, trial, await offerOf(api, [rehearsal]));
  const calls = await confirmed(api, [rehearsal], given.confirm);
  return 'content' in calls ? calls : make(calls[0] ?? given);
}
