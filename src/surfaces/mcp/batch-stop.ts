/** The answer of a batch that stopped: which calls were made, which were not, and how to go on with these. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { LIFETIME_MINUTES } from '../../kernel/rehearsals/rehearsal.ts';
import type { Batch, BatchArguments } from './batch-calls.ts';
import { at, jsonOf, type Planned } from './batch-plan.ts';
import { rehearseAll, summaryOf } from './batch-rehearsal.ts';
import type { CallArguments } from './calls.ts';
import { confirmed } from './confirmation.ts';
import { marked } from './customer-text.ts';
import type { CallTool } from './describe.ts';
import { continued } from './earlier-answers.ts';
import { shorten } from './fit.ts';
import type { ApiCaller } from './inner-call.ts';
import { withIds } from './names.ts';
import { type Json, refusal, refusing } from './results.ts';

/** Stands for the refusal of a call that nobody has confirmed yet. */
export const UNCONFIRMED = 'unconfirmed';

interface Stop {
  readonly planned: readonly Planned[];
  readonly batch: Batch;
  /** The number of the call that was not made. */
  readonly i: number;
  readonly refused: CallToolResult | typeof UNCONFIRMED;
}

/** The calls that were not made, for a batch of their own: with the values that the others answered. */
async function remainingCalls(api: ApiCaller, { planned, batch, i }: Stop): Promise<CallArguments[]> {
  const remaining: CallArguments[] = [];
  for (const { endpoint, given } of planned.slice(i)) {
    const call = continued(given, batch.answers, i);
    const resolved = await refusing(api, () => withIds(api, endpoint, call));
    const { path, query, body } = 'content' in resolved ? call : resolved;
    remaining.push({
      operation: endpoint.id,
      ...(path === undefined ? {} : { path }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
    });
  }
  return remaining;
}

/** Texts of customers are marked in them as everywhere, and sent back like that. */
const shownCall = ({ services }: ApiCaller, { body, ...call }: CallArguments): Json => {
  const schema = services.registry.endpoints.find(({ id }) => id === call.operation)?.body;
  return { ...call, ...(body === undefined ? {} : { body: marked(body, schema, services) }) };
};

/** Sentences of refusals that are about one call. */
const NOTHING = /\s*Nothing was (?:done|changed)\./g;

function sayMade({ planned, i }: Stop): string {
  const changes = planned.slice(0, i).some(({ endpoint }) => endpoint.access !== 'read');
  if (!changes) return 'Nothing was changed.';
  const before = i === 1 ? 'Call 0 was made' : `Calls 0 to ${i - 1} were made`;
  const after =
    planned.length - i === 1 ? `call ${i} was not` : `calls ${i} to ${planned.length - 1} were not`;
  return `${before}, ${after}.`;
}

const CONFIRM = `Check that the user asked for exactly this. Then send remaining_calls as calls, with confirm set to the value of confirm_with, within ${LIFETIME_MINUTES} minutes. Do not repeat the calls that were made.`;
const GO_ON =
  'Then send remaining_calls as calls, corrected if need be. Do not repeat the calls that were made.';

const APPROVED =
  'Wait until a person has approved it. Then make the first of remaining_calls alone, with its operation and with approval_id set to operation_id, and send the rest of them as calls. Do not repeat the calls that were made.';

function nextStepOf({ code, next_step, confirm_with }: Json): string {
  if (confirm_with !== undefined) return CONFIRM;
  if (code === 'approval_required') return APPROVED;
  return `${String(next_step).replaceAll(NOTHING, '').trim()} ${GO_ON}`.trim();
}

/** The refusal that asks for a confirmation of the remaining calls. */
async function asked(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
  calls: readonly CallArguments[],
): Promise<CallToolResult> {
  const rehearsed = await rehearseAll(api, tool, { ...given, calls });
  if ('content' in rehearsed) return rehearsed;
  const { rehearsals, more } = rehearsed;
  const summary = summaryOf(api, rehearsed);
  const answer = await confirmed(api, [...rehearsals.values()], undefined, more, summary);
  if ('content' in answer) return answer;
  // Somebody else changed something in this moment, so that nothing needs a confirmation any more.
  return refusal({ code: 'confirmation_mismatch', detail: 'What the call touches changed.', next_step: '' });
}

export async function stopped(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
  stop: Stop,
): Promise<CallToolResult> {
  const { batch, i, refused } = stop;
  const calls = await remainingCalls(api, stop);
  const result =
    refused === UNCONFIRMED ? await refusing(api, () => asked(api, tool, given, calls)) : refused;
  const { detail, next_step, ...rest } = jsonOf(result);
  const said = String(detail).replaceAll(NOTHING, '').trim();
  return at(
    i,
    refusal({
      ...rest,
      code: String(rest['code']),
      detail: `${said} ${sayMade(stop)}`,
      next_step: nextStepOf({ ...rest, next_step }),
    }),
    {
      made: shorten(batch.shown.slice(0, i)).value,
      not_made: calls.length,
      remaining_calls: calls.map((call) => shownCall(api, call)),
    },
  );
}
