/** Reads resources, and makes calls about them, with dry runs. All of it goes through the records of the API. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { get, send } from './http.ts';
import { filled, type NounCall, type PathValues } from './nouns.ts';
import { calls } from './session.ts';
import type { Account, Effect, ForeseenChange, List, Operation } from './types.ts';

/** Any resource. What it has is said by the schema in the document. */
export interface Resource {
  readonly [member: string]: unknown;
}

export const PAGE = 50;
/** Beyond these, the pages of a long list are not read again with each event. */
export const LIVE_PAGES = 4;

const NOUN = 'noun';

export type Query = Readonly<Record<string, string>>;

const withQuery = (path: string, query: Query): string => {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text === '' ? path : `${path}?${text}`;
};

/** One page of a list. `page` counts from 0. */
export const pageQuery = (account: Account, noun: string, path: string, query: Query, page: number) => {
  const url = `${calls(account)}${withQuery(path, query)}`;
  return queryOptions({
    queryKey: [account.id, NOUN, noun, url, page] as const,
    queryFn: ({ signal }) => get<List<Resource>>(url, signal),
  });
};

export const oneQuery = (account: Account, noun: string, path: string) => {
  const url = `${calls(account)}${path}`;
  return queryOptions({
    queryKey: [account.id, NOUN, noun, url] as const,
    queryFn: ({ signal }) => get<Resource>(url, signal),
  });
};

/** What is on the page is read again, but for the far pages of long lists. */
export const refreshNouns = (client: QueryClient, accountId: string): void =>
  void client.invalidateQueries({
    queryKey: [accountId, NOUN],
    predicate: ({ queryKey }) => Number(queryKey[4] ?? 0) < LIVE_PAGES,
  });

export interface Foreseen {
  readonly cost: { readonly hourly: string; readonly monthly: string; readonly currency: string };
  readonly exceeds_budgets: readonly {
    readonly budget_id: string;
    readonly amount: string;
    readonly committed: string;
    readonly requested: string;
  }[];
  readonly changes: readonly ForeseenChange[];
  readonly effects: readonly Effect[];
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
}

export interface PersonCall {
  readonly call: NounCall;
  readonly path: PathValues;
  readonly query?: Query;
  readonly body?: unknown;
  /** The version that the person saw: with another one, the call is refused. */
  readonly etag?: string | undefined;
}

function sendFor<Answer>(account: Account, made: PersonCall, query: Query): Promise<Answer> {
  const { call, path, body, etag } = made;
  return send<Answer>(`${calls(account)}${withQuery(filled(call.path, path), { ...made.query, ...query })}`, {
    method: call.method,
    ...(body === undefined ? {} : { body }),
    ...(etag === undefined ? {} : { headers: { 'if-match': `"${etag}"` } }),
  });
}

export const rehearse = (account: Account, made: PersonCall): Promise<Foreseen> =>
  sendFor<Foreseen>(account, made, { dry_run: 'true' });

export const perform = (account: Account, made: PersonCall): Promise<Resource> =>
  sendFor<Resource>(account, made, {});

/** The operation that works on a resource now, from the resource itself. */
export const workOn = (row: Resource): Operation | null =>
  (row['operation'] as Operation | null | undefined) ?? null;
