/** Makes calls that change something: rehearsed first, and confirmed if they destroy or loosen something. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Endpoint } from '../../kernel/record.ts';
import { type CallArguments, changeResult, requestOf } from './calls.ts';
import { confirmed, offerOf } from './confirmation.ts';
import type { ApiCaller } from './inner-call.ts';
import { isRehearsed, rehearse } from './rehearsals.ts';
import { refusedOutcome } from './results.ts';

export async function callChange(
  api: ApiCaller,
  endpoint: Endpoint,
  given: CallArguments,
): Promise<CallToolResult> {
  const make = async (call: CallArguments): Promise<CallToolResult> =>
    changeResult(api, await api.call(endpoint, requestOf(endpoint, call)));
  if (!isRehearsed(endpoint)) return make(given);
  const rehearsal = await rehearse(api, endpoint, given);
  const { trial } = rehearsal;
  // What was done already cannot be rehearsed again: a repeat gets its answer by the idempotency key.
  if (trial.isRefused)
    return given.idempotency_key === undefined || given.dry_run === true
      ? refusedOutcome(trial)
      : make(rehearsal.call);
  if (given.dry_run === true) return changeResult(api, trial, await offerOf(api, [rehearsal]));
  const calls = await confirmed(api, [rehearsal], given.confirm);
  return 'content' in calls ? calls : make(calls[0] ?? given);
}
