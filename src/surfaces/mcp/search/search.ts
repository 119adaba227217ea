/** The search over the API document, for the endpoints of the registry. */
import type { Endpoint } from '../../../kernel/record.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { OperationSearch } from '../../../search/operation-search.ts';
import type { NearTopic } from '../../../search/topics.ts';

export interface Found {
  readonly endpoint: Endpoint;
  /** Of the values of its member `type`, those that the query speaks of, the best first. */
  readonly types: readonly string[];
}

export class Search {
  readonly #search: () => OperationSearch;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  /** `search` makes the index when it is asked first. */
  constructor({ endpoints }: Registry, search: () => OperationSearch) {
    this.#search = search;
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  }

  /** The best first, and what the query speaks of and the API does not have. */
  ask(query: string): { readonly found: Found[]; readonly note: string | undefined } {
    const { hits, note } = this.#search().ask(query);
    const found = hits.flatMap(({ id, kinds: types }) => {
      const endpoint = this.#endpoints.get(id);
      return endpoint === undefined ? [] : [{ endpoint, types }];
    });
    return { found, note };
  }

  find(query: string): Found[] {
    return this.ask(query).found;
  }

  nearestTopics(query: string, count: number, family?: string): NearTopic[] {
    return this.#search().nearestTopics(query, count, family);
  }
}
