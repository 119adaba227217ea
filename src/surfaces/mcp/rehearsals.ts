/**
 * Rehearses calls: a dry run of the very call says what it would change. Everything that a confirmation is bound to is
 * collected here: the request, its effects and cost, and the version of what it touches.
 */
import { mayLoosen } from '../../kernel/change-words/may-loosen.ts';
import { type Cost, isForGood } from '../../kernel/effect.ts';
import type { EffectView } from '../../kernel/effect-view.ts';
import { callerOf } from '../../kernel/exchange.ts';
import { takesIfMatch } from '../../kernel/problems/possible.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { factsOf } from '../../kernel/rehearsals/rehearsal.ts';
import { totalOf } from '../../pipeline/dry-run.ts';
import { bodyTakes, type CallArguments, requestOf, takes } from './calls.ts';
import { type ApiCaller, type Outcome, throwIfPassing } from './inner-call.ts';
import type { Json } from './results.ts';

type Effect = Partial<EffectView> & Pick<EffectView, 'action' | 'id'>;

/** A change in words of the product. `loosens`: it takes a protection away, such as a firewall that opens more. */
interface Change {
  readonly text: string;
  readonly loosens: boolean;
}

export interface Foreseen {
  readonly effects: readonly Effect[];
  readonly cost: unknown;
  readonly changes: readonly Change[];
}

export interface Rehearsal {
  readonly endpoint: Endpoint;
  /** The call as it will be made: with the name that some calls want repeated. */
  readonly call: CallArguments;
  readonly trial: Outcome;
  /** Says what the rehearsal could not find out. */
  readonly note?: string;
  /** Whether the call has references to answers of changes, in place of their values. */
  readonly isLate?: boolean;
  /** Whether it was rehearsed together with the calls before it. */
  readonly isShared?: boolean;
}

export const isRehearsed = (endpoint: Endpoint): boolean =>
  endpoint.access === 'destructive' || mayLoosen(endpoint);

/** What the dry run says; nothing if it was refused. */
export function foreseenBy({ body, isRefused }: Outcome): Foreseen {
  const { effects = [], cost = null, changes = [] } = (isRefused ? {} : (body ?? {})) as Partial<Foreseen>;
  return { effects, cost, changes };
}

/** What all calls together add to the running cost; null if none of them says it. */
export const totalCost = (rehearsals: readonly Rehearsal[]): Cost | null =>
  totalOf(rehearsals.flatMap(({ trial }) => (foreseenBy(trial).cost as Cost | null) ?? []));

export const loosens = ({ trial }: Rehearsal): boolean =>
  foreseenBy(trial).changes.some((change) => change.loosens);

/** What a write loses for good depends on the request: an ephemeral address is released, a machine is forced off. */
export const destroys = ({ endpoint, trial }: Rehearsal): boolean =>
  endpoint.access === 'destructive' || foreseenBy(trial).effects.some(isForGood);

export const needsConfirmation = (rehearsal: Rehearsal): boolean => destroys(rehearsal) || loosens(rehearsal);

/** Some calls have a `confirm` of their own, which takes the name of the resource. */
function withName(endpoint: Endpoint, call: CallArguments, name: string): CallArguments {
  if (takes(endpoint, 'confirm')) return { ...call, query: { confirm: name, ...call.query } };
  if (bodyTakes(endpoint, 'confirm')) return { ...call, body: { confirm: name, ...call.body } };
  return call;
}

const wantsName = ({ isRefused, body }: Outcome): boolean =>
  isRefused &&
  ((body as { errors?: readonly FieldError[] }).errors ?? []).some(({ code }) =>
    code.startsWith('confirmation_'),
  );

interface Subject {
  readonly id?: string;
  readonly name?: string;
  readonly etag?: string;
  /** Whether the version is one that the call itself can be bound to. */
  readonly isOwn: boolean;
}

/** The resource that the path names, as the call that reads it shows it. */
export async function subjectOf(api: ApiCaller, { path }: Endpoint, call: CallArguments): Promise<Subject> {
  const reader = api.services.registry.endpoints
    .filter(
      ({ method, path: each, resource }) =>
        method === 'GET' && resource.role === 'read' && `${path}/`.startsWith(`${each}/`),
    )
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (reader === undefined) return { isOwn: false };
  const names = [...reader.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const outcome = await api.call(reader, {
    path: Object.fromEntries(names.map((name) => [name, call.path?.[name]])),
  });
  throwIfPassing(outcome);
  if (outcome.isRefused) return { isOwn: false };
  const { id, name, etag } = outcome.body as { id?: string; name?: string; etag?: string };
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof etag === 'string' ? { etag } : {}),
    isOwn: reader.path === path,
  };
}

/** The call with the name of its resource where it has to be repeated; the call itself if there is nothing to repeat. */
export async function withSubjectName(
  api: ApiCaller,
  endpoint: Endpoint,
  call: CallArguments,
): Promise<CallArguments> {
  if (!takes(endpoint, 'confirm') && !bodyTakes(endpoint, 'confirm')) return call;
  const { name } = await subjectOf(api, endpoint, call);
  return name === undefined ? call : withName(endpoint, call, name);
}

export async function rehearse(api: ApiCaller, endpoint: Endpoint, call: CallArguments): Promise<Rehearsal> {
  const run = (given: CallArguments): Promise<Outcome> =>
    api.call(endpoint, requestOf(endpoint, { ...given, dry_run: true, wait_seconds: 0 }));
  const trial = await run(call);
  if (!wantsName(trial)) return { endpoint, call, trial };
  const named = await withSubjectName(api, endpoint, call);
  return { endpoint, call: named, trial: named === call ? trial : await run(named) };
}

/** What a confirmation is bound to, and the calls, which refuse another version if they can. */
export interface Bound {
  readonly facts: unknown;
  readonly calls: readonly CallArguments[];
}

/** `more`: what the confirmation is bound to besides, such as calls that cannot be rehearsed yet. */
export async function bind(
  api: ApiCaller,
  rehearsals: readonly Rehearsal[],
  more: readonly unknown[] = [],
): Promise<Bound> {
  const caller = callerOf(api.outer);
  // An approval is bound to the request as it is, with its headers, so none may be added.
  const mayNeedApproval = caller.key?.approval !== 'off' || caller.key.approvalOverMonthly !== null;
  const found: Json[] = [];
  const calls: CallArguments[] = [];
  for (const { endpoint, call, trial, isLate } of rehearsals) {
    const { path, query, body, headers } = requestOf(endpoint, { ...call, dry_run: false });
    const { etag, isOwn }: Subject = isLate ? { isOwn: false } : await subjectOf(api, endpoint, call);
    // The first of several calls for the same resource changes its version.
    const isFirst = !found.some((each) => each['etag'] === etag);
    const isBindable = isOwn && isFirst && takesIfMatch(endpoint) && !mayNeedApproval;
    calls.push(isBindable && etag !== undefined ? { if_match: etag, ...call } : call);
    const request = { path, query, body, if_match: headers?.['if-match'] };
    found.push({ operation: endpoint.id, request, etag, ...foreseenBy(trial) });
  }
  const touched = rehearsals.flatMap(({ trial }) => foreseenBy(trial).effects.flatMap(({ id }) => id ?? []));
  return { facts: await factsOf(api.services.db, caller, [...found, ...more], touched), calls };
}
