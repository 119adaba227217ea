/** Where the page of a resource is. Null: it has none. */

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
  return id === null ? null : (pages[type]?.(id) ?? null);
}
