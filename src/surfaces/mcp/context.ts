/** The tools that tell a model where it is and what it can do. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { permissionsOf } from '../../kernel/access/caller.ts';
import { fold } from '../../kernel/access/permissions.ts';
import { nearest } from '../../kernel/did-you-mean.ts';
import { callerOf, type Exchange } from '../../kernel/exchange.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import { marked } from './customer-text.ts';
import { describe, signature, standingOf, toolFor } from './describe.ts';
import { countThatFits, sizeOf } from './fit.ts';
import type { ApiCaller } from './inner-call.ts';
import { type Json, OPERATION_NAME, refusal, refusedOutcome, success, unknownNames } from './results.ts';
import type { Search } from './search/search.ts';

const MOST_SEARCH_TOKENS = 820;
const MOST_TOKENS = 5_500;

export interface Situation {
  readonly api: ApiCaller;
  readonly services: Services;
  readonly exchange: Exchange;
  readonly search: Search;
  readonly isReadOnly: boolean;
}

const operationIds = ({ registry }: Services): string[] => registry.endpoints.map(({ id }) => id);

const find = ({ registry }: Services, id: string): Endpoint | undefined =>
  registry.endpoints.find((endpoint) => endpoint.id === id);

function callablePerFamily({ services, exchange }: Situation): Json {
  const caller = callerOf(exchange);
  return Object.fromEntries(
    services.registry.families.map(({ name, endpoints }) => [
      name,
      `${endpoints.filter((endpoint) => caller.decide(endpoint).allowed).length}/${endpoints.length}`,
    ]),
  );
}

async function locationsOf({ api, services, exchange }: Situation): Promise<Json> {
  const endpoint = find(services, 'listVpsLocations');
  if (endpoint === undefined || !callerOf(exchange).decide(endpoint).allowed) return {};
  const { isRefused, body } = await api.call(endpoint);
  if (isRefused) return {};
  return { locations: (body as { data: { slug: string }[] }).data.map(({ slug }) => slug) };
}

export async function getContext(situation: Situation): Promise<CallToolResult> {
  const { api, services, exchange, isReadOnly } = situation;
  const whoami = find(services, 'getWhoami');
  if (whoami === undefined) throw new Error('The registry has no getWhoami; add its family.');
  const outcome = await api.call(whoami);
  if (outcome.isRefused) return refusedOutcome(outcome);
  const { account, key, owner, client } = outcome.body as Record<string, Json>;
  const { rate } = exchange.client;
  const shownKey = { ...key, permissions: fold(permissionsOf(callerOf(exchange))) };
  return success({
    ...(marked({ account, key: shownKey }, whoami.answers[200], services) as Json),
    role: owner?.['role'],
    address: client?.['ip'],
    rate: { left: rate.remaining, limit: rate.limit, resets_in_seconds: rate.resetSeconds },
    mode: isReadOnly ? 'read-only: nothing can be changed here' : 'read and write',
    ...(await locationsOf(situation)),
    callable: callablePerFamily(situation),
  });
}

export interface SearchArguments {
  readonly query?: string;
  readonly family?: string;
  readonly callable_only?: boolean;
  readonly limit?: number;
}

const DEFAULT_HITS = 8;
const MOST_LOCKED = 3;
const NEAR_TOPICS = 8;
/** Beside hits, which are about another part of the question. */
const FEW_TOPICS = 3;

/** What to do if nothing can be shown: never only "use other words". */
function wayOut({ search }: Situation, { query = '', family }: SearchArguments, isLocked: boolean): Json {
  if (isLocked)
    return {
      next_step:
        'Your key may call none of these. callable_only false shows them with the missing permissions.',
    };
  return {
    topics: search.nearestTopics(query, NEAR_TOPICS, family),
    next_step:
      'Tell the user that nothing here does this. These are the nearest topics: search for one of them, or say what you want to do with which thing.',
  };
}

export function searchOperations(situation: Situation, given: SearchArguments): CallToolResult {
  const { services, search, exchange, isReadOnly } = situation;
  const { query = '', family, callable_only = true, limit = DEFAULT_HITS } = given;
  const { registry } = services;
  if (family !== undefined && !registry.families.some(({ name }) => name === family)) {
    const names = registry.families.map(({ name }) => name).join(', ');
    return refusal({
      code: 'unknown_family',
      detail: 'There is no such family.',
      next_step: `Use one of: ${names}.`,
    });
  }
  const caller = callerOf(exchange);
  const everything = {
    found: registry.endpoints.map((endpoint) => ({ endpoint, types: [] })),
    note: undefined,
  };
  const { found, note } = query.trim() === '' ? everything : search.ask(query);
  const ranked = found
    .filter(({ endpoint }) => family === undefined || endpoint.family === family)
    .map((each) => ({ ...each, standing: standingOf(caller, each.endpoint) }));
  const open = ranked.filter(({ standing }) => standing.callable);
  const hits = (callable_only ? open : ranked).slice(0, limit).map(({ endpoint, types, standing }) => ({
    operation: endpoint.id,
    http: `${endpoint.method} ${endpoint.path}`,
    summary: endpoint.summary,
    ...(types.length === 0 ? {} : { types }),
    call_with: isReadOnly && endpoint.access !== 'read' ? 'nothing: read-only mode' : toolFor(endpoint),
    ...(standing.callable
      ? standing.approval
        ? { needs_approval: true }
        : {}
      : { missing: standing.missing }),
    input: signature(endpoint),
  }));
  // Among the best, but not for this key: a model should say so instead of taking the second best.
  const locked = callable_only
    ? ranked
        .slice(0, limit)
        .filter(({ standing }) => !standing.callable)
        .slice(0, MOST_LOCKED)
        .map(({ endpoint, standing }) => ({ operation: endpoint.id, missing: standing.missing }))
    : [];
  const room = MOST_SEARCH_TOKENS - sizeOf(locked);
  const count = hits.length === 0 ? 0 : countThatFits(hits, room);
  // Hits beyond the budget are named without their input, so that none is lost.
  const shown = [
    ...hits.slice(0, count),
    ...hits.slice(count).map(({ input: _, http: __, ...rest }) => rest),
  ];
  return success({
    // Before the hits, so that nobody takes them for an answer to the whole question.
    ...(note === undefined ? {} : { note }),
    hits: shown,
    ...(locked.length === 0 ? {} : { not_callable: locked }),
    ...(hits.length === 0 ? wayOut(situation, given, ranked.length > 0) : {}),
    ...(hits.length > 0 && note !== undefined
      ? { topics: search.nearestTopics(query, FEW_TOPICS, family) }
      : {}),
  });
}

const WRITTEN_NAME = /^[A-Za-z][\w.-]{0,63}$/;

/** The operation with the fewest other letters, or the one that the words of the name find: `deleteServer` is `deleteVm`. */
function nearOperation({ services, search }: Situation, written: string): readonly string[] {
  if (!WRITTEN_NAME.test(written)) return [];
  // `delete_vm` is how other interfaces write `deleteVm`.
  const name = written.replaceAll(/[-_.]+(\w?)/g, (_, letter: string) => letter.toUpperCase());
  const near = nearest(name, operationIds(services));
  if (near !== null) return [near];
  const words = name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase();
  return search
    .find(words)
    .slice(0, 1)
    .map(({ endpoint }) => endpoint.id);
}

export function describeOperations(situation: Situation, ids: readonly string[]): CallToolResult {
  const { services, exchange } = situation;
  const known = ids.flatMap((id) => find(services, id) ?? []);
  const unknown = ids.filter((id) => find(services, id) === undefined);
  const near = unknown.flatMap((name) => nearOperation(situation, name));
  // What could not be the name of an operation may be a text of a customer, so its place stands for it.
  const said = ids.flatMap((id, i) =>
    unknown.includes(id) ? [OPERATION_NAME.test(id) ? id : `with the name at ids/${i}`] : [],
  );
  if (known.length === 0) return refusal(unknownNames(said, near));
  const caller = callerOf(exchange);
  const all = known.map((endpoint) => describe(endpoint, services.registry, caller));
  const count = countThatFits(all, MOST_TOKENS);
  const left = known.slice(count).map(({ id }) => id);
  return success({
    operations: all.slice(0, count),
    ...(unknown.length === 0 ? {} : { unknown: unknownNames(said, near) }),
    ...(left.length === 0
      ? {}
      : { truncated: { not_described: left, next_step: 'Describe these in another call.' } }),
  });
}
