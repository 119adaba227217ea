/** A typed client: the types of paths, queries, bodies and answers are those that openapi-typescript generated. */
import type { components, paths } from './api.ts';

type Problem = components['schemas']['Problem'];
type PathsWith<M extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never;
}[keyof paths];

type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? Query : never;
type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

/** The answer in `application/json`. Dry runs and event streams have media types of their own. */
type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & (200 | 201 | 202)]: Responses[Status] extends {
        content: { 'application/json': infer Answer };
      }
        ? Answer
        : never;
    }[keyof Responses & (200 | 201 | 202)]
  : never;

export class Client {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  get<P extends PathsWith<'get'>>(
    path: P,
    query: QueryOf<paths[P]['get']>,
  ): Promise<AnswerOf<paths[P]['get']>> {
    return this.#call(path, query, { method: 'GET' });
  }

  post<P extends PathsWith<'post'>>(
    path: P,
    query: QueryOf<paths[P]['post']>,
    body: BodyOf<paths[P]['post']>,
  ): Promise<AnswerOf<paths[P]['post']>> {
    return this.#call(path, query, { method: 'POST', body: JSON.stringify(body) });
  }

  async #call<Answer>(path: string, query: object | undefined, init: RequestInit): Promise<Answer> {
    const url = new URL(path, this.#url);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const headers = {
      'X-API-Key': this.#key,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    };
    const response = await fetch(url, { ...init, headers });
    if (response.ok) return response.json();
    const problem: Problem = await response.json();
    throw new Error(`${problem.code}: ${problem.detail} ${problem.next_step}`);
  }
}
