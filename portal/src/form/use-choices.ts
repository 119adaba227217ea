import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { get } from '../data/http.ts';
import { PICK } from '../data/product.ts';
import { indexQuery } from '../data/queries.ts';
import { calls, useAccount } from '../data/session.ts';
import type { List } from '../data/types.ts';
import { addressOf, type Choice, choicesOf, filtersOf, type Ref } from './choices.ts';
import { Facts } from './facts.ts';

type Row = Readonly<Record<string, unknown>>;

/** Enough for a person to choose from; whoever has more types the value. */
const MOST = 2000;

interface Rows {
  readonly rows: readonly Row[];
  readonly isCut: boolean;
}

async function readAll(url: string, signal: AbortSignal): Promise<Rows> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&${new URLSearchParams({ cursor })}`;
    const page: List<Row> = await get<List<Row>>(`${url}${more}`, signal);
    rows.push(...page.data);
    cursor = page.next_cursor ?? null;
  } while (cursor !== null && rows.length < MOST);
  return { rows, isCut: cursor !== null };
}

async function readWithin(url: string, place: string, signal: AbortSignal): Promise<Rows> {
  const found = place
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as Row | undefined)?.[name], await get(url, signal));
  return { rows: (found ?? []) as readonly Row[], isCut: false };
}

export interface Choices {
  readonly choices: readonly Choice[];
  readonly isLoading: boolean;
  readonly isCut: boolean;
  /** The parameter of the path that has to be chosen first. */
  readonly missing: string | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/** While a filter changes, the former choices stay. */
export function useChoices(reference: Ref, pointer: string): Choices {
  const account = useAccount();
  const { body, path } = useContext(Facts);
  const index = useQuery(indexQuery);
  const list = index.data?.families
    .flatMap(({ resources }) => resources.flatMap(({ operations }) => operations))
    .find(({ id }) => id === reference.list);
  const { in: place } = reference;
  const filters = filtersOf(reference, { body, path, pointer });
  const { url, missing } = addressOf(list?.path ?? '', filters, path, place === undefined);
  const query = useQuery({
    queryKey: [account.id, PICK, url, place],
    queryFn: ({ signal }) => {
      const address = `${calls(account)}${url}`;
      return place === undefined ? readAll(address, signal) : readWithin(address, place, signal);
    },
    enabled: list !== undefined && missing === undefined,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  return {
    choices: missing === undefined ? choicesOf(query.data?.rows ?? [], reference) : [],
    isLoading: missing === undefined && (query.isPending || query.isPlaceholderData) && !index.isError,
    isCut: query.data?.isCut ?? false,
    missing: list === undefined ? undefined : missing,
    error: index.error ?? query.error,
    retry: () => void (index.isError ? index.refetch() : query.refetch()),
  };
}
