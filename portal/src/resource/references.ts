/** The names of resources that others refer to by id. Ids that a page needs at the same time are looked up together. */
import { useQuery } from '@tanstack/react-query';
import { get } from '../data/http.ts';
import { calls, useAccount } from '../data/session.ts';
import type { Account, List } from '../data/types.ts';

export interface Named {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly parent_id: string | null;
}

/** As many as the inventory takes in one call. */
const MOST = 50;

interface Waiting {
  readonly account: Account;
  readonly asked: Map<string, ((found: Named | null) => void)[]>;
}

let waiting: Waiting | undefined;

async function answer({ account, asked }: Waiting): Promise<void> {
  const ids = [...asked.keys()];
  for (let at = 0; at < ids.length; at += MOST) {
    const part = ids.slice(at, at + MOST);
    const query = new URLSearchParams({ ids: part.join(','), limit: String(MOST) });
    const rows = await get<List<Named>>(`${calls(account)}/account/v1/resources?${query}`).catch(() => null);
    const found = new Map(rows?.data.map((row) => [row.id, row]));
    for (const id of part) for (const give of asked.get(id) ?? []) give(found.get(id) ?? null);
  }
}

function lookUp(account: Account, id: string): Promise<Named | null> {
  return new Promise((give) => {
    if (waiting?.account.id !== account.id) {
      const begun: Waiting = { account, asked: new Map() };
      waiting = begun;
      // All cells of a page ask in the same moment.
      setTimeout(() => {
        if (waiting === begun) waiting = undefined;
        void answer(begun);
      });
    }
    const gives = waiting.asked.get(id) ?? [];
    waiting.asked.set(id, [...gives, give]);
  });
}

/** Null: there is no such resource any more, or this person may not see it. */
export function useNamed(id: string | null): Named | null | undefined {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: [account.id, 'named', id],
    queryFn: () => lookUp(account, id ?? ''),
    enabled: id !== null,
    staleTime: 60_000,
  });
  return id === null ? null : data;
}
