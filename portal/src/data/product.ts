/** Reads resources, and makes calls about them, with dry runs. All of it goes through the records of the API. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { follow } from './followed.ts';
import { get, Problem, REFUSALS_ANSWERED, send, UNREADABLE } from './http.ts';
import { filled, type NounCall, type PathValues } from './nouns.ts';
import { calls } from './session.ts';
import type { Account, Foreseen, List, Operation } from './types.ts';

/** Any resource. What it has is said by the schema in the document. */
export interface Resource {
  readonly [member: string]: unknown;
}

export const PAGE = 50;

const NOUN = 'noun';
/** In the keys of the lists that forms choose from. */
export const PICK = 'pick';

export type Query = Readonly<Record<string, string>>;

const withQuery = (path: string, query: Query): string => {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text === '' ? path : `${path}?${text}`;
};

/** One page of a list. */
export const pageQuery = (account: Account, noun: string, path: string, query: Query) => {
  const url = `${calls(account)}${withQuery(path, query)}`;
  return queryOptions({
    queryKey: [account.id, NOUN, noun, url] as const,
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

/** What has an id of its own and is gone does not come back. What has a name may be made again. */
export const isGone = (url: unknown, error: unknown): boolean =>
  error instanceof Problem && error.status === 404 && /_[0-9a-z]{26}$/.test(String(url));

/** What is on the screen is read again; the far pages of long lists when they come near it. */
export function refreshNouns(client: QueryClient, accountId: string): void {
  void client.invalidateQueries({
    queryKey: [accountId, NOUN],
    predicate: ({ queryKey, state }) => !isGone(queryKey.at(-1), state.error),
  });
  // What was made in another tab can be picked in this one.
  void client.invalidateQueries({ queryKey: [accountId, PICK] });
}

export interface PersonCall {
  readonly call: NounCall;
  readonly path: PathValues;
  readonly query?: Query;
  readonly body?: unknown;
  /** The version that the person saw: with another one, the call is refused. */
  readonly etag?: string | undefined;
}

function sendFor<Answer>(
  account: Account,
  { call, path, query, body, etag }: PersonCall,
  more: { readonly query?: Query; readonly headers?: Readonly<Record<string, string>> },
): Promise<Answer> {
  const url = `${calls(account)}${withQuery(filled(call.path, path), { ...query, ...more.query })}`;
  return send<Answer>(url, {
    method: call.method,
    ...(body === undefined ? {} : { body }),
    headers: { ...more.headers, ...(etag === undefined ? {} : { 'if-match': `"${etag}"` }) },
  });
}

export const rehearse = (account: Account, made: PersonCall): Promise<Foreseen> =>
  sendFor<Foreseen>(account, made, { query: { dry_run: 'true' }, headers: { prefer: REFUSALS_ANSWERED } });

/** By what was sent: the keys of calls whose answer was lost. The same call again does nothing twice. */
const unanswered = new Map<string, string>();

const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether the call may have been done all the same. */
const isLost = (error: unknown): boolean =>
  !(error instanceof Problem) ||
  error.status === 0 ||
  error.status === 408 ||
  error.status >= 500 ||
  error.code === UNREADABLE ||
  error.code === 'idempotency_in_progress';

export async function perform(account: Account, made: PersonCall): Promise<Resource> {
  const answer = await performOnce(account, made);
  follow(account, answer);
  return answer;
}

async function performOnce(account: Account, made: PersonCall): Promise<Resource> {
  if (made.call.method !== 'POST') return sendFor<Resource>(account, made, {});
  const { call, path, query, body } = made;
  const sent = JSON.stringify([account.id, call.id, path, query, body]);
  const key = unanswered.get(sent) ?? newKey();
  unanswered.set(sent, key);
  try {
    const answer = await sendFor<Resource>(account, made, { headers: { 'idempotency-key': key } });
    unanswered.delete(sent);
    return answer;
  } catch (error) {
    if (!isLost(error)) unanswered.delete(sent);
    throw error;
  }
}

/** The operation that works on a resource now, from the resource itself. */
export const workOn = (row: Resource): Operation | null =>
  (row['operation'] as Operation | null | undefined) ?? null;
