/** Reads lists page by page, as long as somebody wants more. */
import type { Client } from './client.ts';

export interface PageQuery {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const LARGEST_PAGE = 200;

export function urlOf(path: string, { params, query }: PageQuery): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** A list of the API; one without a parameter `cursor` has a single page. */
interface Listing {
  readonly path: string;
  readonly parameters: readonly { readonly name: string }[];
}

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor?: string | null;
}

/** Yields the rows of each page, at most `most` in all. Returns the cursor of the next page if there is one. */
export async function* rowsOf(
  client: Client,
  { path, parameters }: Listing,
  { params, query }: PageQuery,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly unknown[], string | null> {
  const hasPages = parameters.some(({ name }) => name === 'cursor');
  let cursor = query['cursor'];
  for (let left = most; ; ) {
    const limit = hasPages ? { limit: String(Math.min(LARGEST_PAGE, left)) } : {};
    const page = cursor === undefined ? {} : { cursor };
    const url = urlOf(path, { params, query: { ...query, ...limit, ...page } });
    const { body } = await client.call({ method: 'GET', path: url });
    const { data, next_cursor: next = null } = body as Page;
    yield data.slice(0, left);
    left -= data.length;
    // A feed has a cursor on every page, also on the empty one after the last event.
    if (next === null || next === undefined || data.length === 0) return null;
    if (left <= 0) return next;
    cursor = next;
  }
}
