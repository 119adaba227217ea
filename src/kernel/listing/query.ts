/** The query parameters that all resource lists support. */
import { dateFilters, ListQuery, labelFilter, nameFilter } from '../pages/list.ts';
import type { TProperties } from '../schema.ts';

const sort = ['-created_at', 'created_at', '-updated_at', 'updated_at', 'name', '-name'] as const;

export function ResourceQuery<P extends TProperties>(filters: P) {
  return ListQuery({ ...nameFilter, ...labelFilter, ...dateFilters, ...filters }, { sort });
}
