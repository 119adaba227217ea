import type { Operation } from '../../data/types.ts';
import { useNamed } from '../../resource/references.ts';
import { titleOf } from './words.ts';

/** The resource that something without a name of its own is part of, such as the machine of an interface. */
const homeOf = ({ resource, related }: Operation): string | null => {
  if (resource.name !== null || related.length === 0) return null;
  return (related.find(({ type }) => type === 'vm') ?? related[0])?.id ?? null;
};

/** "Attach interface of web-1": what has no name is said by what it is part of. */
export function useTitle(operation: Operation): string {
  const home = useNamed(homeOf(operation));
  return home ? `${titleOf(operation)} of ${home.name}` : titleOf(operation);
}
