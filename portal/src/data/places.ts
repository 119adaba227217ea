import { useQuery } from '@tanstack/react-query';
import { useAccess } from './access.ts';
import { nounsQuery } from './nouns.ts';
import { pageQuery, type Resource } from './product.ts';
import { useAccount } from './session.ts';

/** A location as people see it everywhere, also in pickers: "Frankfurt 1 (fra1)". */
export const placeOf = ({ slug, name }: Resource): string => `${name} (${slug})`;

const MOST = '200';

/** By the slug of a location, its words; the slug itself where the list is not read yet, or may not be. */
export function usePlaces(): (slug: string) => string {
  const account = useAccount();
  const access = useAccess();
  const list = (useQuery(nounsQuery).data ?? [])
    .flatMap(({ nouns }) => nouns)
    .find(({ name }) => name.endsWith('_location'))?.rows;
  const { data } = useQuery({
    ...pageQuery(account, 'location', list?.path ?? '', { limit: MOST }),
    enabled: list !== undefined && access?.get(list.operation)?.callable === true,
    staleTime: 60_000,
  });
  return (slug) => {
    const found = data?.data.find((row) => row['slug'] === slug);
    return found ? placeOf(found) : slug;
  };
}

export const Place = ({ slug }: { slug: string }): string => usePlaces()(slug);
