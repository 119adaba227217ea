/** The pages of a list that people have asked for, as one list of rows. */
import { useQueries } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { PAGE, pageQuery, type Query, type Resource, workOn } from '../data/product.ts';
import { useAccount } from '../data/session.ts';
import type { List } from '../data/types.ts';
import type { Near } from '../ui/near.ts';

/** While something works on a row, in milliseconds. Events say when it ends; this shows how far it is. */
const PROGRESS = 2000;

interface Read {
  readonly state: { readonly data?: List<Resource> | undefined };
}

export interface Rows {
  readonly rows: readonly Resource[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isMore: boolean;
  more(): void;
  retry(): void;
}

/** The list of the last time, if it has the same rows in the same places. */
function useSame(rows: readonly Resource[]): readonly Resource[] {
  const last = useRef(rows);
  const isSame = last.current.length === rows.length && rows.every((row, at) => row === last.current[at]);
  if (!isSame) last.current = rows;
  return last.current;
}

/** For short lists: all of them are near the screen. */
const EVERYWHERE = { hasNear: () => true };

/** Pages far from the screen are kept as they were read. They are read again when somebody comes near them. */
export function useRows(
  noun: string,
  path: string,
  query: Query,
  near: Pick<Near, 'hasNear'> = EVERYWHERE,
): Rows {
  const account = useAccount();
  const asked = `${path}?${new URLSearchParams(query)}`;
  const [pages, setPages] = useState({ asked, cursors: [''] as readonly string[] });
  // Other filters begin with the first page again.
  if (pages.asked !== asked) setPages({ asked, cursors: [''] });
  const cursors = pages.asked === asked ? pages.cursors : [''];
  // New rows may come in at the beginning, wherever the person is.
  const isLive = (page: number): boolean => page === 0 || near.hasNear(page * PAGE, page * PAGE + PAGE - 1);
  const results = useQueries({
    queries: cursors.map((cursor, page) => ({
      ...pageQuery(account, noun, path, {
        ...query,
        limit: String(PAGE),
        ...(cursor === '' ? {} : { cursor }),
      }),
      enabled: ({ state }: Read) => state.data === undefined || isLive(page),
      refetchInterval: ({ state }: Read) =>
        state.data?.data.some((row) => workOn(row) !== null) ? PROGRESS : false,
    })),
  });
  const [first] = results;
  const last = results.at(-1);
  const next = last?.data?.next_cursor ?? null;
  const seen = new Set<unknown>();
  const rows = useSame(
    results
      .flatMap(({ data }) => data?.data ?? [])
      // A row that moved from one page to the next while they were read is in both.
      .filter(({ id }) => id === undefined || (!seen.has(id) && seen.add(id))),
  );
  return {
    rows: first?.data === undefined ? undefined : rows,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    hasMore: next !== null,
    isMore: cursors.length > 1 && last?.isPending === true,
    more: () => {
      if (next !== null) setPages({ asked, cursors: [...cursors, next] });
    },
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
    },
  };
}
