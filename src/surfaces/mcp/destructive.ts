/** Calls that destroy are rehearsed first: `confirm` has to name what a dry run of the very call says is lost. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { bodyTakes, type CallArguments, changeResult, requestOf, singleResult, takes } from './calls.ts';
import { MARK, withoutControls } from './customer-text.ts';
import { shorten } from './fit.ts';
import type { ApiCaller, Outcome } from './inner-call.ts';
import { type Json, refusal, refusedOutcome } from './results.ts';

interface Effect {
  readonly action: string;
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly loss: { readonly what: string; readonly recoverable: boolean } | null;
}

/** Some calls have a `confirm` of their own, which takes the name of the resource. */
function withConfirm(endpoint: Endpoint, given: CallArguments, confirm: string): CallArguments {
  if (takes(endpoint, 'confirm')) return { ...given, query: { confirm, ...given.query } };
  if (bodyTakes(endpoint, 'confirm')) return { ...given, body: { confirm, ...given.body } };
  return given;
}

const isUnconfirmed = ({ isRefused, body }: Outcome): boolean =>
  isRefused &&
  ((body as { errors?: readonly FieldError[] }).errors ?? []).some(({ code }) =>
    code.startsWith('confirmation_'),
  );

/** The name of the resource that the path names, for calls that want it repeated. */
async function nameOf(api: ApiCaller, { path }: Endpoint, given: CallArguments): Promise<string | undefined> {
  const reader = api.services.registry.endpoints
    .filter(
      ({ method, path: each, resource }) =>
        method === 'GET' && resource.role === 'read' && path.startsWith(each),
    )
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (reader === undefined) return undefined;
  const names = [...reader.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const outcome = await api.call(reader, {
    path: Object.fromEntries(names.map((name) => [name, given.path?.[name]])),
  });
  const { name } = (outcome.isRefused ? {} : outcome.body) as { name?: string };
  return name;
}

/**
 * Makes the call only if `confirm` is what a dry run of this very call names: the name of what is lost, or its id if it
 * has no name.
 */
export async function callDestructive(
  api: ApiCaller,
  endpoint: Endpoint,
  given: CallArguments,
): Promise<CallToolResult> {
  const { confirm } = given;
  const rehearse = (name: string | undefined): Promise<Outcome> => {
    const named = name === undefined ? given : withConfirm(endpoint, given, name);
    return api.call(endpoint, requestOf(endpoint, { ...named, dry_run: true, wait_seconds: 0 }));
  };
  let trial = await rehearse(confirm);
  let known: string | undefined;
  if (isUnconfirmed(trial)) {
    known = await nameOf(api, endpoint, given);
    if (known !== undefined) trial = await rehearse(known);
  }
  if (trial.isRefused) return refusedOutcome(trial);
  const { effects, cost } = trial.body as { effects: readonly Effect[]; cost: unknown };
  const lost = effects.find(({ loss }) => loss !== null) ?? effects[0];
  const expected = known ?? lost?.name ?? lost?.id ?? endpoint.id;
  if (given.dry_run === true) return singleResult(api, trial, undefined, { price: cost });
  if (confirm !== expected) return unconfirmed(endpoint, expected, { effects, cost }, confirm);
  return changeResult(
    api,
    await api.call(endpoint, requestOf(endpoint, withConfirm(endpoint, given, expected))),
  );
}

function unconfirmed(
  endpoint: Endpoint,
  expected: string,
  { effects, cost }: { effects: readonly Effect[]; cost: unknown },
  confirm: string | undefined,
): CallToolResult {
  const losses = effects.map(({ action, type, id, name, loss }) => ({
    action,
    type,
    id,
    ...(loss === null ? {} : { recoverable: loss.recoverable }),
    // The sentence about the loss names other resources, which customers named.
    ...markedTexts({ name, loses: loss?.what ?? null }),
  }));
  const { value } = shorten(losses);
  const isOurs = expected === endpoint.id || effects.some(({ id }) => id === expected);
  return refusal({
    code: confirm === undefined ? 'confirmation_required' : 'confirmation_mismatch',
    detail:
      confirm === undefined
        ? `${endpoint.id} destroys something. Nothing was changed.`
        : 'confirm does not name what would be lost. Nothing was changed.',
    would_lose: value,
    cost_change: cost,
    ...(isOurs ? { confirm_with: expected } : markedTexts({ confirm_with: expected })),
    next_step: `Check that the user asked for exactly this loss. Then repeat the call with confirm set to the value of ${isOurs ? '' : `${MARK}.`}confirm_with.`,
  });
}

/** These texts in `customer_text`, without those that are null. */
function markedTexts(texts: Readonly<Record<string, string | null>>): Json {
  const given = Object.entries(texts).flatMap(([name, text]) =>
    text === null ? [] : [[name, withoutControls(text)]],
  );
  return given.length === 0 ? {} : { [MARK]: Object.fromEntries(given) };
}
