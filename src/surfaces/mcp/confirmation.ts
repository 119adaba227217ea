/** Asks for the confirmation of calls that destroy or loosen something, and checks it. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { needsApproval } from '../../kernel/approvals/needs-approval.ts';
import { callerOf } from '../../kernel/exchange.ts';
import { issueToken, LIFETIME_MINUTES, redeemToken } from '../../kernel/rehearsals/rehearsal.ts';
import { byProvider, Shape, Type } from '../../kernel/schema.ts';
import { DryRun } from '../../pipeline/dry-run-shape.ts';
import type { CallArguments } from './calls.ts';
import { marked } from './customer-text.ts';
import { shorten } from './fit.ts';
import type { ApiCaller } from './inner-call.ts';
import { bind, destroys, foreseenBy, needsConfirmation, type Rehearsal } from './rehearsals.ts';
import { type Json, refusal } from './results.ts';

export const Changes = Shape({
  changes: Type.Array(Shape({ text: Type.String(byProvider), loosens: Type.Boolean() })),
});

/** A person who approved the very request has seen what it does. The API asks for approval where we ask to confirm. */
const isApproved = (api: ApiCaller, { call }: Rehearsal): boolean =>
  call.approval_id !== undefined && needsApproval(callerOf(api.outer), { access: 'destructive' });

/** What one call would take away and loosen, in as few words as possible. */
function shownLoss({ services }: ApiCaller, rehearsal: Rehearsal): Json {
  const { trial, note } = rehearsal;
  const { effects, cost, changes } = foreseenBy(trial);
  const shown = marked({ effects }, DryRun, services) as { effects: readonly Json[] };
  return {
    would_lose: shown.effects.map((effect) =>
      Object.fromEntries(Object.entries(effect).filter(([, value]) => value !== null)),
    ),
    ...(changes.length === 0 ? {} : (marked({ changes }, Changes, services) as Json)),
    ...(note === undefined ? {} : { rehearsed: note }),
    cost_change: cost,
    ...(destroys(rehearsal) ? {} : { loosens: true }),
  };
}

const sayWhat = (rehearsals: readonly Rehearsal[]): string =>
  rehearsals
    .map((each) =>
      destroys(each)
        ? `${each.endpoint.id} destroys something.`
        : `${each.endpoint.id} loosens a protection.`,
    )
    .join(' ');

const AGAIN = `Check that the user asked for exactly this. Then repeat the call unchanged with confirm set to the value of confirm_with, within ${LIFETIME_MINUTES} minutes.`;

const refusals = {
  missing: { code: 'confirmation_required', why: '' },
  unknown: {
    code: 'confirmation_mismatch',
    why: `This confirm was used already, is older than ${LIFETIME_MINUTES} minutes, or was never given to you. `,
  },
  changed: {
    code: 'confirmation_mismatch',
    why: 'The call, or what it touches, is not what was rehearsed for this confirm. ',
  },
} as const;

/** For the answer of a dry run: what to confirm with, if the call needs it. */
export async function offerOf(
  api: ApiCaller,
  rehearsals: readonly Rehearsal[],
  more: readonly unknown[] = [],
): Promise<Json> {
  if (!rehearsals.some(needsConfirmation)) return {};
  const { facts } = await bind(api, rehearsals, more);
  const confirm_with = await issueToken(api.services.db, callerOf(api.outer), facts);
  return { confirm_with, next_step: AGAIN };
}

/**
 * The calls to make, or the refusal that asks for a confirmation. Nothing is asked if nothing is lost or loosened. `around`:
 * what the refusal says besides.
 */
export async function confirmed(
  api: ApiCaller,
  rehearsals: readonly Rehearsal[],
  confirm: string | undefined,
  more: readonly unknown[] = [],
  around: Json = {},
): Promise<readonly CallArguments[] | CallToolResult> {
  const asking = rehearsals.filter((each) => needsConfirmation(each) && !isApproved(api, each));
  if (asking.length === 0) return rehearsals.map(({ call }) => call);
  const { db } = api.services;
  const caller = callerOf(api.outer);
  const { facts, calls } = await bind(api, rehearsals, more);
  const verdict = confirm === undefined ? 'missing' : await redeemToken(db, caller, confirm, facts);
  if (verdict === 'confirmed') return calls;
  const { code, why } = refusals[verdict];
  const losses = asking.map((each) => ({
    ...(rehearsals.length === 1 ? {} : { operation: each.endpoint.id }),
    ...shownLoss(api, each),
  }));
  const { value } = shorten(losses);
  return refusal({
    code,
    detail: `${why}${sayWhat(asking)} Nothing was changed.`,
    ...(rehearsals.length === 1 ? value[0] : { calls: value }),
    ...around,
    confirm_with: await issueToken(db, caller, facts),
    next_step: AGAIN,
  });
}
