/** The search over the published document: one index for all surfaces of a process. */
import type { Services } from '../../kernel/services.ts';
import { OperationSearch } from '../../search/operation-search.ts';
import { publicationOf } from './publication.ts';

/** Made for the first question: the index takes a fifth of a second. */
const searches = new WeakMap<Services, OperationSearch>();

export function searchOf(services: Services): OperationSearch {
  const known = searches.get(services);
  if (known !== undefined) return known;
  const search = new OperationSearch(publicationOf(services).document());
  searches.set(services, search);
  return search;
}
