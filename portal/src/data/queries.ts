/** What the pages read. The keys begin with the account, so that switching it shows nothing of another one. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Denial } from './account-types.ts';
import { get } from './http.ts';
import type { FoundOperations, IacList, OperationIndex } from './reference-types.ts';
import { acts, calls } from './session.ts';
import type {
  Access,
  Account,
  Allowlist,
  ApiKey,
  Approval,
  EnforcePreview,
  Invitation,
  KeyOptions,
  KeySummary,
  List,
  Member,
  Security,
} from './types.ts';

const reading = <Answer>(account: Account, topic: string, path: string) =>
  queryOptions({
    queryKey: [account.id, topic, path],
    queryFn: ({ signal }) => get<Answer>(path, signal),
  });

/** Reads a list to its end, page by page. */
async function readAll<Item>(path: string, signal: AbortSignal): Promise<{ readonly data: readonly Item[] }> {
  const data: Item[] = [];
  for (let cursor: string | null = null; ; ) {
    const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: List<Item> = await get(path + query, signal);
    data.push(...page.data);
    cursor = page.next_cursor ?? null;
    if (cursor === null) return { data };
  }
}

/** All keys that have not ended and were not replaced, for pickers. */
export const keysQuery = (account: Account) =>
  queryOptions({
    queryKey: [account.id, 'keys', 'living'],
    queryFn: async ({ signal }) => {
      const { data } = await readAll<ApiKey>(`${acts(account)}/keys?status=living`, signal);
      return { data: data.filter(({ replaced_by }) => replaced_by === null) };
    },
  });
export const keyPagesQuery = (account: Account, filter: Readonly<Record<string, string>>) =>
  infiniteQueryOptions({
    queryKey: [account.id, 'keys', 'pages', filter],
    queryFn: ({ signal, pageParam }) =>
      get<List<ApiKey>>(
        `${acts(account)}/keys?${new URLSearchParams({ ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) })}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
export const keyQuery = (account: Account, id: string) =>
  reading<ApiKey>(account, 'keys', `${acts(account)}/keys/${encodeURIComponent(id)}`);
/** The key, or the last one of those that took over from it. */
export const newestKeyQuery = (account: Account, id: string) =>
  queryOptions({
    queryKey: [account.id, 'keys', 'newest', id],
    queryFn: async ({ signal }) => {
      for (let next = id; ; ) {
        const key: ApiKey = await get(`${acts(account)}/keys/${encodeURIComponent(next)}`, signal);
        if (key.replaced_by === null) return key;
        next = key.replaced_by;
      }
    },
  });
export const keySummaryQuery = (account: Account) =>
  reading<KeySummary>(account, 'keys', `${acts(account)}/key-summary`);
export const keyOptionsQuery = (account: Account) =>
  reading<KeyOptions>(account, 'key-options', `${acts(account)}/key-options`);
export const allowlistQuery = (account: Account) =>
  reading<Allowlist>(account, 'allowlist', `${acts(account)}/allowlist`);
export const previewQuery = (account: Account) =>
  reading<EnforcePreview>(account, 'allowlist', `${acts(account)}/allowlist/enforce-preview`);
/**
 * Read again while the page is looked at: events tell of the first refusal in an hour only, and only of addresses.
 * `every` is in milliseconds.
 */
export const denialsQuery = (account: Account, every = 10_000) => ({
  ...reading<List<Denial> & { readonly dropped: number }>(
    account,
    'denials',
    `${calls(account)}/account/v1/key-denials?limit=100`,
  ),
  refetchInterval: ({ state }: { readonly state: { readonly data?: unknown } }) =>
    state.data === undefined ? false : every,
});
export const approvalsQuery = (account: Account) =>
  reading<List<Approval>>(account, 'approvals', `${acts(account)}/approvals`);
export const approvalQuery = (account: Account, id: string) =>
  reading<Approval>(account, 'approvals', `${acts(account)}/approvals/${encodeURIComponent(id)}`);
export const membersQuery = (account: Account) =>
  reading<List<Member>>(account, 'members', `${acts(account)}/members`);
export const invitationsQuery = (account: Account) =>
  reading<List<Invitation>>(account, 'members', `${acts(account)}/invitations`);
export const accessQuery = (account: Account, keyId: string | null) =>
  reading<List<Access>>(
    account,
    'access',
    keyId === null ? `${acts(account)}/access` : `${acts(account)}/keys/${keyId}/access`,
  );

export const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: ({ signal }) => get<Security>('/portal/v1/me/security', signal),
});

/** The index of the live document; `etag` is the hash that all views of it show. */
export const indexQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: ({ signal }) => get<OperationIndex>('/portal/api/operations.json', signal),
  staleTime: 60_000,
});

/** In milliseconds: whoever types on asks for something else. */
const PAUSE = 200;

export const foundOperationsQuery = (words: string) =>
  queryOptions({
    queryKey: ['found-operations', words],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      return get<FoundOperations>(`/portal/v1/found-operations?${new URLSearchParams({ words })}`, signal);
    },
    staleTime: 60_000,
  });

export const operationQuery = (id: string) =>
  queryOptions({
    queryKey: ['operations', id],
    queryFn: ({ signal }) =>
      get<Record<string, unknown>>(`/portal/api/operations/${encodeURIComponent(id)}.json`, signal),
    staleTime: 60_000,
  });

/** What the server makes for infrastructure as code, from the live document. */
export const iacQuery = queryOptions({
  queryKey: ['iac'],
  queryFn: ({ signal }) => get<IacList>('/iac/', signal),
});
