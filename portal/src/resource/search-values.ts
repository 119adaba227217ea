/** What the address says after its question mark. */
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Search = Readonly<Record<string, string>>;

export const useSearchValues = (): Search => useSearch({ strict: false }) as Search;

/** Changes values in the address, so that a link shows the same list. */
export function useSetSearch(): (changes: Readonly<Record<string, string | undefined>>) => void {
  const navigate = useNavigate();
  return (changes) =>
    void navigate({
      to: '.',
      replace: true,
      search: (before: Search) =>
        Object.fromEntries(
          Object.entries({ ...before, ...changes }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ) as Search,
    });
}
