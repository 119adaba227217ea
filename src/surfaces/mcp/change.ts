/** Makes calls that change something: rehearsed first, and confirmed if they destroy or loosen something. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../kernel/record.ts';
import { type CallArguments, changeResult, requestOf } from './calls.ts';
import { confirmed, offerOf } from './confirmation.ts';
import { brief, pick, refusedFields } from './fields.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { isRehearsed, rehearse, withSubjectName } from './rehearsals.ts';
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
  // What was done already can be neither rehearsed nor confirmed again: a repeat gets its answer by the idempotency key.
  if (given.dry_run !== true && (await api.isRepeated(given.idempotency_key)))
    return make(await withSubjectName(api, endpoint, given));
  const rehearsal = await rehearse(api, endpoint, given);
  const { trial } = rehearsal;
  // A refusal may have passed when the call is made, and nobody would have confirmed it.
  if (trial.isRefused) return refusedOutcome(trial);
  if (given.dry_run === true) return changeResult(api, trial, await offerOf(api, [rehearsal]));
  const calls = await confirmed(api, [rehearsal], given.confirm);
  return 'content' in calls ? calls : make(calls[0] ?? given);
}
