/** The query parameters that all resource lists support. */
import { dateFilters, ListQuery, labelFilter, nameFilter } from '../pages/list.ts';
import type { TProperties } from '../schema.ts';

const byTime = ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const;
const sort = [...byTime, 'name', '-name'] as const;

export function ResourceQuery<P extends TProperties>(filters: P) {
  return ListQuery({ ...nameFilter, ...labelFilter, ...dateFilters, ...filters }, { sort });
}

/** For resources that nobody names, such as orders. */
export function UnnamedQuery<P extends TProperties>(filters: P) {
  return ListQuery({ ...labelFilter, ...dateFilters, ...filters }, { sort: byTime });
}
