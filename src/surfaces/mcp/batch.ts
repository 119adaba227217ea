/**
 * Several calls in one call of a tool, one after the other. All are checked and rehearsed before the first is made, and
 * one token confirms them all. It stops at the first call that is refused, and says what was made.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../kernel/audit/entry.ts';
import { jsonOf, type Planned } from './batch-plan.ts';
import { type Batch, type BatchArguments, type Rehearsed, rehearseAll } from './batch-rehearsal.ts';
import { stopped, UNCONFIRMED } from './batch-stop.ts';
import { type CallArguments, singleResult } from './calls.ts';
import { confirmed, offerOf } from './confirmation.ts';
import type { CallTool } from './describe.ts';
import { shorten } from './fit.ts';
import type { ApiCaller } from './inner-call.ts';
import { foreseenBy, isRehearsed, needsConfirmation, type Rehearsal, rehearse } from './rehearsals.ts';
import { type Json, refusedOutcome, success } from './results.ts';

const ALONE =
  'as if the calls before it were not made; the batch stops and asks if they make it take away or open more';

export async function callBatch(
  api: ApiCaller,
  tool: CallTool,
  given: BatchArguments,
): Promise<CallToolResult> {
  const rehearsed = await rehearseAll(api, tool, given);
  if ('content' in rehearsed) return rehearsed;
  const { planned, batch, rehearsals, more } = rehearsed;
  const list = [...rehearsals.values()];
  if (given.dry_run === true) return dryRun(api, rehearsed, await offerOf(api, list, more));
  const calls = await confirmed(api, list, given.confirm, more);
  if ('content' in calls) return calls;
  const bound = new Map([...rehearsals.keys()].map((i, n) => [i, calls[n] as CallArguments]));
  let hasChanged = false;
  for (const [i, each] of planned.entries()) {
    if (each.endpoint.access === 'read' && !each.isLate) continue;
    const foreseen = rehearsals.get(i);
    const refused =
      each.isLate || hasChanged
        ? await makeAfterOthers(api, batch, each, i, foreseen)
        : await batch.make(each.endpoint, bound.get(i) as CallArguments, i);
    if (refused !== undefined) return stopped(api, tool, given, { planned, batch, i, refused });
    hasChanged ||= each.endpoint.access !== 'read';
  }
  return success({ status: 200, calls: shorten(batch.shown).value });
}

/** What a call takes away and what it loosens, each as a text that can be compared. */
function takenBy(rehearsal: Rehearsal | undefined): string[] {
  if (rehearsal === undefined) return [];
  const { effects, changes } = foreseenBy(rehearsal.trial);
  const losses =
    rehearsal.endpoint.access === 'destructive' ? effects.map((effect) => canonicalJson(effect)) : [];
  return [...losses, ...changes.flatMap(({ text, loosens }) => (loosens ? [text] : []))];
}

/**
 * The calls before it may have changed what a call does, so it is rehearsed again, with the real answers. What was not
 * foreseen when the batch was confirmed is not made.
 */
async function makeAfterOthers(
  api: ApiCaller,
  batch: Batch,
  each: Planned,
  i: number,
  foreseen: Rehearsal | undefined,
): Promise<CallToolResult | typeof UNCONFIRMED | undefined> {
  const call = await batch.ready(each, i);
  if ('content' in call) return call;
  if (each.endpoint.access === 'read') return batch.read(each, call, i);
  if (!isRehearsed(each.endpoint)) return batch.make(each.endpoint, call, i);
  const rehearsal = await rehearse(api, each.endpoint, call);
  if (rehearsal.trial.isRefused) return refusedOutcome(rehearsal.trial);
  const known = takenBy(foreseen);
  const isForeseen = takenBy(rehearsal).every((text) => known.includes(text));
  if (needsConfirmation(rehearsal) && !isForeseen) return UNCONFIRMED;
  return batch.make(each.endpoint, rehearsal.call, i);
}

function dryRun(api: ApiCaller, { planned, rehearsals }: Rehearsed, offer: Json): CallToolResult {
  const firstChange = planned.findIndex(({ endpoint }) => endpoint.access !== 'read');
  const calls = planned.map(({ endpoint, isLate }, i): Json => {
    const isAfterOthers = i > firstChange && isRehearsed(endpoint);
    const trial = rehearsals.get(i)?.trial;
    if (trial === undefined)
      return {
        call: endpoint.id,
        ...(isLate ? { rehearsed: 'only its input; the rest after the calls before it' } : {}),
      };
    return {
      call: endpoint.id,
      ...(isLate ? { rehearsed: 'with examples of the answers before it' } : {}),
      ...(isAfterOthers && !isLate ? { rehearsed: ALONE } : {}),
      ...jsonOf(singleResult(api, trial, ['effects', 'changes', 'warnings'])),
      price: foreseenBy(trial).cost,
    };
  });
  return success({ dry_run: true, calls: shorten(calls).value, ...offer });
}
