/** The search over the API document, for the endpoints of the registry. */
import type { Endpoint } from '../../../kernel/record.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { ApiDocument } from '../../../search/document.ts';
import { OperationSearch } from '../../../search/operation-search.ts';
import type { NearTopic } from '../../../search/topics.ts';

export class Search {
  readonly #search: OperationSearch;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor({ endpoints }: Registry, document: ApiDocument) {
    this.#search = new OperationSearch(document);
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  }

  /** The best first. */
  find(query: string): Endpoint[] {
    return this.#search.find(query).flatMap(({ id }) => this.#endpoints.get(id) ?? []);
  }

  nearestTopics(query: string, count: number, family?: string): NearTopic[] {
    return this.#search.nearestTopics(query, count, family);
  }
}
