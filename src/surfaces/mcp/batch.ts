/**
 * Several calls in one call of a tool, one after the other. All are checked and rehearsed before the first is made, and
 * one token confirms them all. It stops at the first call that is refused, and says what was made.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../kernel/audit/canonical-json.ts';
import type { BatchArguments } from './batch-calls.ts';
import { isAsExpected } from './batch-order.ts';
import { jsonOf, type Planned } from './batch-plan.ts';
import { type Rehearsed, rehearseAll, summaryOf } from './batch-rehearsal.ts';
import { stopped, UNCONFIRMED } from './batch-stop.ts';
import { type CallArguments, singleResult } from './calls.ts';
import { confirmed, offerOf } from './confirmation.ts';
import type { CallTool } from './describe.ts';
import { shorten } from './fit.ts';
import type { ApiCaller } from './inner-call.ts';
import { markNow, withReferences } from './made-ids.ts';
import {
  destroys,
  foreseenBy,
  isRehearsed,
  needsConfirmation,
  type Rehearsal,
  rehearse,
  totalCost,
} from './rehearsals.ts';
import { type Json, problemAnswer, refusedOutcome, refusing, success } from './results.ts';

const ALONE =
  'as if the calls before it were not made; the batch stops and asks if they make it take away or open more';

const TOGETHER = 'after the calls before it; the batch stops and asks if it then takes away or opens more';

const MADE = 'made before with this idempotency_key: it is not made again';

/** A call that others wait for is given this time to end, even if the model did not ask for it. */
const WAIT_SECONDS = 30;

export async function callBatch(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
): Promise<CallToolResult> {
  const since = markNow();
  const rehearsed = await rehearseAll(api, tool, given);
  if ('content' in rehearsed) return rehearsed;
  const { planned, batch, rehearsals, holding, late, more } = rehearsed;
  const list = [...rehearsals.values()];
  if (given.dry_run === true) return dryRun(api, rehearsed, await offerOf(api, list, more));
  const calls = await confirmed(api, list, given.confirm, more, summaryOf(api, rehearsed));
  if ('content' in calls) return calls;
  const bound = new Map([...rehearsals.keys()].map((i, n) => [i, calls[n] as CallArguments]));
  let hasChanged = false;
  for (const [i, each] of planned.entries()) {
    if (batch.isMade(i)) continue;
    const make = (call: CallArguments): Promise<CallToolResult | undefined> => {
      const wait_seconds = Math.max(call.wait_seconds ?? 0, holding.has(i) ? WAIT_SECONDS : 0);
      return batch.make(each.endpoint, { ...call, wait_seconds }, i);
    };
    const refused = await refusing(api, () =>
      late.has(i) || hasChanged
        ? makeAfterOthers(api, { ...rehearsed, since }, i, make)
        : make(bound.get(i) as CallArguments),
    );
    if (refused !== undefined) return stopped(api, tool, given, { planned, batch, i, refused });
    hasChanged ||= each.endpoint.access !== 'read';
  }
  return success({ status: 200, calls: shorten(batch.shown).value });
}

/** What a call takes away and what it loosens, each as a text that can be compared. */
function takenBy(rehearsal: Rehearsal | undefined): string[] {
  if (rehearsal === undefined) return [];
  const { effects, changes } = foreseenBy(rehearsal.trial);
  const losses = destroys(rehearsal) ? effects.map((effect) => canonicalJson(effect)) : [];
  return [...losses, ...changes.flatMap(({ text, loosens }) => (loosens ? [text] : []))];
}

/**
 * The calls before it may have changed what a call does, so it is rehearsed again, with the real answers. What was not
 * foreseen when the batch was confirmed is not made.
 */
async function makeAfterOthers(
  api: ApiCaller,
  { planned, batch, rehearsals, expected, since }: Rehearsed & { readonly since: string },
  i: number,
  make: (call: CallArguments) => Promise<CallToolResult | undefined>,
): Promise<CallToolResult | typeof UNCONFIRMED | undefined> {
  const each = planned[i] as Planned;
  const unseen = await batch.repeat(each, i);
  if (unseen !== undefined || batch.isMade(i)) return unseen;
  const call = await batch.ready(each, i);
  if ('content' in call) return call;
  if (each.endpoint.access === 'read') return batch.read(each, call, i);
  if (!isRehearsed(each.endpoint)) return make(call);
  const rehearsal = await rehearse(api, each.endpoint, call);
  if (rehearsal.trial.isRefused) return refusedOutcome(rehearsal.trial);
  const known = takenBy(rehearsals.get(i));
  const taken = withReferences(takenBy(rehearsal), batch.answers, since);
  const waited = expected.get(i);
  const isForeseen =
    waited === undefined ? taken.every((text) => known.includes(text)) : isAsExpected(waited, rehearsal);
  if (needsConfirmation(rehearsal) && !isForeseen) return UNCONFIRMED;
  return make(rehearsal.call);
}

function dryRun(api: ApiCaller, rehearsed: Rehearsed, offer: Json): CallToolResult {
  const { planned, batch, rehearsals, expected, late } = rehearsed;
  const firstChange = planned.findIndex(({ endpoint }, i) => endpoint.access !== 'read' && !batch.isMade(i));
  const calls = planned.map(({ endpoint }, i): Json => {
    const { trial, note, isShared } = rehearsals.get(i) ?? {};
    const { problem } = expected.get(i) ?? {};
    if (trial === undefined)
      return {
        call: endpoint.id,
        ...(late.has(i) ? { rehearsed: 'only its input; the rest after the calls before it' } : {}),
        ...(endpoint.access !== 'read' && batch.isMade(i) ? { rehearsed: MADE } : {}),
      };
    const isAfterOthers = i > firstChange && isRehearsed(endpoint);
    const alone = late.has(i) ? 'with examples of the answers before it' : ALONE;
    const how = note ?? (isShared ? TOGETHER : alone);
    const isSaid = note !== undefined || late.has(i) || isAfterOthers;
    return {
      call: endpoint.id,
      ...(isSaid ? { rehearsed: how } : {}),
      ...(problem === undefined ? {} : { refused_now: problemAnswer(problem, trial.isOurs) }),
      ...jsonOf(singleResult(api, trial, ['effects', 'changes', 'warnings'])),
      price: foreseenBy(trial).cost,
    };
  });
  return success({
    dry_run: true,
    calls: shorten(calls).value,
    price: totalCost([...rehearsals.values()]),
    ...offer,
  });
}
