import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { membersQuery } from '../../data/queries.ts';
import type { Account, KeySummary } from '../../data/types.ts';

/** The part of the address that says which keys are shown, and in which order. */
export interface KeySearch {
  readonly q?: string;
  readonly status?: string;
  readonly owner?: string;
  readonly sort?: string;
}

export const LIVING = 'living';
const NEWEST = 'newest';

/** Leaves out what is usual, so that an address says only what somebody chose. */
const chosen = (search: KeySearch): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      q: search.q,
      status: search.status === LIVING ? undefined : search.status,
      owner: search.owner,
      sort: search.sort === NEWEST ? undefined : search.sort,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );

export const isFiltered = ({ q, status, owner }: KeySearch): boolean =>
  Object.keys(chosen({ ...(q ? { q } : {}), ...(status ? { status } : {}), ...(owner ? { owner } : {}) }))
    .length > 0;

export const keyFilter = ({
  q,
  status = LIVING,
  owner,
  sort = NEWEST,
}: KeySearch): Record<string, string> => ({
  status,
  sort,
  ...(q?.trim() ? { text: q.trim().slice(0, 100) } : {}),
  ...(owner ? { owner_id: owner } : {}),
});

/** Only the public part of a key: its secret must not stand in an address. */
const withoutSecret = (text: string): string => text.replaceAll(/(hpk1_[0-9A-Za-z]{1,12})\w*/g, '$1');

const sorts: readonly (readonly [string, string])[] = [
  [NEWEST, 'Newest first'],
  ['name', 'By name'],
  ['owner', 'By owner'],
  ['last_used', 'Used last first'],
  ['expires', 'Ending first'],
];

const statuses = ({ active, suspended, expired, revoked }: KeySummary['counts']) =>
  [
    [LIVING, 'Not ended', active + suspended],
    ['active', 'Active', active],
    ['suspended', 'Suspended', suspended],
    ['ended', 'Ended', expired + revoked],
    ['all', 'All', active + suspended + expired + revoked],
  ] as const;

interface Props {
  readonly account: Account;
  readonly search: KeySearch;
  readonly counts: KeySummary['counts'];
  readonly change: (search: Record<string, string>) => void;
}

const TYPING = 250;

export function KeyFilters({ account, search, counts, change }: Props) {
  const { q = '', status = LIVING, owner = '', sort = NEWEST } = search;
  const members = useQuery(membersQuery(account)).data?.data ?? [];
  const [words, setWords] = useState(q);
  const [asked, setAsked] = useState(q);
  // The address was changed by something else than this field, for example by the Back button.
  if (asked !== q) {
    setAsked(q);
    setWords(q);
  }
  const set = (next: KeySearch): void => {
    setAsked(words);
    change(chosen({ ...search, q: words, ...next }));
  };
  // What else was chosen since the last key was pressed must stay.
  const ask = useRef(set);
  useEffect(() => {
    ask.current = set;
  });
  useEffect(() => {
    if (words === q) return;
    const timer = setTimeout(() => ask.current({}), TYPING);
    return () => clearTimeout(timer);
  }, [words, q]);
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-[minmax(0,1fr)_repeat(3,180px)]">
      <input
        type="search"
        aria-label="Search keys"
        placeholder="Name, notes or public part"
        className="input max-sm:col-span-2 sm:max-lg:col-span-3"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => setWords(withoutSecret(event.target.value))}
      />
      <select
        aria-label="Status"
        className="input"
        value={status}
        onChange={(event) => set({ status: event.target.value })}
      >
        {statuses(counts).map(([value, title, number]) => (
          <option key={value} value={value}>
            {title} ({number})
          </option>
        ))}
      </select>
      <select
        aria-label="Owner"
        className="input"
        value={owner}
        onChange={(event) => set({ owner: event.target.value })}
      >
        <option value="">Of everybody</option>
        <option value={account.member_id}>My keys</option>
        {members
          .filter(({ id, role }) => id !== account.member_id && role !== 'billing')
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
      <select
        aria-label="Order"
        className="input max-sm:col-span-2"
        value={sort}
        onChange={(event) => set({ sort: event.target.value })}
      >
        {sorts.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </search>
  );
}
