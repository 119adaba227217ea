/** Lists that come in pages. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { get } from './http.ts';
import { calls } from './session.ts';
import type { Account, List } from './types.ts';

type Filters = Readonly<Record<string, string | undefined>>;

/** Without what is not asked for. */
export function queryText(filters: Filters): string {
  const asked = Object.entries(filters).filter(
    (each): each is [string, string] => each[1] !== undefined && each[1] !== '',
  );
  const text = new URLSearchParams(asked).toString();
  return text === '' ? '' : `?${text}`;
}

/** A list of the API, read page by page as the person asks for more. */
export const pagedQuery = <Item, Answer extends List<Item> = List<Item>>(
  account: Account,
  topic: string,
  path: string,
  filters: Filters = {},
) =>
  infiniteQueryOptions({
    queryKey: [account.id, topic, path, filters],
    queryFn: ({ signal, pageParam }) =>
      get<Answer>(`${calls(account)}${path}${queryText({ ...filters, cursor: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });

const LONGEST_PAGE = '200';

/** All pages one after the other, until there are at least `most` rows. */
export async function readPages<Item, Page extends Pick<List<Item>, 'next_cursor'> = List<Item>>(
  account: Account,
  path: string,
  {
    filters = {},
    most,
    signal,
    seen,
    rowsIn = (page) => (page as unknown as List<Item>).data,
  }: {
    readonly filters?: Filters;
    readonly most: number;
    readonly signal?: AbortSignal;
    /** Called after each page. */
    readonly seen?: (rows: readonly Item[]) => void;
    /** Of an answer that is no list. */
    readonly rowsIn?: (page: Page) => readonly Item[];
  },
): Promise<{ readonly rows: readonly Item[]; readonly last: Page; readonly isWhole: boolean }> {
  const rows: Item[] = [];
  for (let cursor = ''; ; ) {
    const page = await get<Page>(
      `${calls(account)}${path}${queryText({ limit: LONGEST_PAGE, ...filters, cursor })}`,
      signal,
    );
    rows.push(...rowsIn(page));
    seen?.(rows);
    if (!page.next_cursor) return { rows, last: page, isWhole: true };
    if (rows.length >= most) return { rows, last: page, isWhole: false };
    cursor = page.next_cursor;
  }
}
