/** Where the page of a resource is. Null: it is not known which one it is. */

/** Resources that have a page of their own beside the products. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  api_key: (id) => `/api/keys?key=${id}`,
  operation: (id) => `/operations/${id}`,
  webhook: (id) => `/webhooks/${id}`,
  budget: () => '/budgets',
  member: () => '/members',
};

export function resourcePath({
  type,
  id,
}: {
  readonly type: string;
  readonly id: string | null;
}): string | null {
  // The page at `/r` finds out which product the id belongs to.
  return id === null ? null : (pages[type]?.(id) ?? `/r/${encodeURIComponent(id)}`);
}
