/** What the pages of an account read from the API. */
import { queryOptions } from '@tanstack/react-query';
import type {
  AccountProfile,
  AuditEntry,
  Budget,
  Delivery,
  Limit,
  OperationKind,
  ResourceSummary,
  Usage,
  UsageGroup,
  Webhook,
} from './account-types.ts';
import { get } from './http.ts';
import { pagedQuery, queryText, readPages } from './pages.ts';
import { calls } from './session.ts';
import type { Account, ApiKey, List, Operation } from './types.ts';

const reading = <Answer>(account: Account, topic: string, path: string) =>
  queryOptions({
    queryKey: [account.id, topic, path],
    queryFn: ({ signal }) => get<Answer>(`${calls(account)}${path}`, signal),
  });

/** The same for everybody, as long as the server is not updated. */
export const operationKindsQuery = queryOptions({
  queryKey: ['operation-kinds'],
  queryFn: ({ signal }) => get<List<OperationKind>>('/portal/api/operation-kinds.json', signal),
  staleTime: Number.POSITIVE_INFINITY,
});

const UNFINISHED = ['running', 'cancelling', 'queued'];

/** Those that have not ended, in the order in which they go on. Questions to people have a page of their own. */
export const runningQuery = (account: Account) =>
  queryOptions({
    queryKey: [account.id, 'operations', 'running'],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        UNFINISHED.map((status) =>
          get<List<Operation>>(
            `${calls(account)}/account/v1/operations${queryText({ status, limit: '50' })}`,
            signal,
          ),
        ),
      );
      return lists.flatMap(({ data }) => data).filter(({ type }) => type !== 'approval.request');
    },
  });

/** With requests for approval, which the pages leave out. */
export const recentOperationsQuery = (account: Account) =>
  reading<List<Operation>>(account, 'operations', '/account/v1/operations?limit=30');
export const failedOperationsQuery = (account: Account) =>
  reading<List<Operation>>(account, 'operations', '/account/v1/operations?status=failed&limit=10');
/** The last operation on a resource that failed, if one did. */
export const failedOnQuery = (account: Account, id: string) =>
  reading<List<Operation>>(
    account,
    'operations',
    `/account/v1/operations${queryText({ resource_id: id, status: 'failed', limit: '1' })}`,
  );
export const operationOfQuery = (account: Account, id: string) =>
  reading<Operation>(account, 'operations', `/account/v1/operations/${encodeURIComponent(id)}`);
/** The audit entries of about the time when the call was made that started the operation. */
export const startedByQuery = (account: Account, { created_at, actor }: Operation) => {
  const at = Date.parse(created_at);
  return reading<List<AuditEntry>>(
    account,
    'operations',
    `/account/v1/audit-log${queryText({
      since: new Date(at - 5000).toISOString(),
      until: new Date(at + 60_000).toISOString(),
      actor: actor.api_key_id ?? actor.member_id ?? undefined,
      limit: '200',
    })}`,
  );
};
export const partsQuery = (account: Account, id: string) =>
  reading<List<Operation>>(account, 'operations', `/account/v1/operations?limit=200&parent_id=${id}`);

export interface UsageAsked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly group_by: string;
  readonly by_day?: 'true';
  readonly label_key?: string | undefined;
}

export const usageQuery = (account: Account, asked: UsageAsked) =>
  reading<Usage>(account, 'usage', `/account/v1/usage${queryText({ limit: '1000', ...asked })}`);

/** A spreadsheet opens at most a million lines, and a group has some of them. */
const MOST_GROUPS = 100_000;

/** All groups of each day. */
export async function usageByDay(account: Account, asked: UsageAsked) {
  const { rows, last, isWhole } = await readPages<UsageGroup, Usage>(account, '/account/v1/usage', {
    filters: { ...asked, limit: '1000', by_day: 'true' },
    most: MOST_GROUPS,
    rowsIn: ({ groups }) => groups,
  });
  return { ...last, groups: rows, isWhole };
}

/** An account has few of these: all of them are read. */
const whole = <Item>(account: Account, topic: string, path: string) =>
  queryOptions({
    queryKey: [account.id, topic, path],
    queryFn: async ({ signal }) => (await readPages<Item>(account, path, { most: 2000, signal })).rows,
  });

export const budgetsQuery = (account: Account) => whole<Budget>(account, 'budgets', '/account/v1/budgets');
export const limitsQuery = (account: Account) => whole<Limit>(account, 'limits', '/account/v1/limits');
export const webhooksQuery = (account: Account) =>
  whole<Webhook>(account, 'webhooks', '/account/v1/webhooks');
export const deliveriesQuery = (account: Account, id: string, status: string | undefined) =>
  pagedQuery<Delivery>(account, 'webhooks', `/account/v1/webhooks/${encodeURIComponent(id)}/deliveries`, {
    status,
  });
export const profileQuery = (account: Account) =>
  reading<AccountProfile>(account, 'profile', '/account/v1/profile');
export const newestResourcesQuery = (account: Account) =>
  reading<List<ResourceSummary>>(account, 'resources', '/account/v1/resources?sort=-created_at&limit=6');

/** In milliseconds: whoever types on asks for something else. */
const PAUSE = 150;

export const foundResourcesQuery = (account: Account, q: string) =>
  queryOptions({
    queryKey: [account.id, 'resources', 'found', q],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (signal.aborted) return { data: [] };
      return get<List<ResourceSummary>>(
        `${calls(account)}/account/v1/resources${queryText({ q, limit: '8', sort: 'name' })}`,
        signal,
      );
    },
    staleTime: 10_000,
  });

/** An account may have about a hundred keys that work. Those that have ended are not read. */
export const activeKeysQuery = (account: Account) =>
  reading<List<ApiKey>>(account, 'keys', '/account/v1/api-keys?status=active&limit=200');

/** Who may have made a call. */
export const keyNamesQuery = (account: Account) =>
  reading<List<{ readonly id: string; readonly name: string }>>(
    account,
    'keys',
    '/account/v1/api-keys?limit=200',
  );
