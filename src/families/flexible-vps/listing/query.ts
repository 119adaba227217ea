/** What every list of the family can be asked. */
import { dateFilters, ListQuery } from '../../../kernel/pages/list.ts';
import { ResourceName, type TProperties, Type } from '../../../kernel/schema.ts';

const sort = ['-created_at', 'created_at', '-updated_at', 'updated_at', 'name', '-name'] as const;

const common = {
  name: Type.Optional({ ...ResourceName, description: 'Exactly this name.' }),
  label_selector: Type.Optional(
    Type.String({ maxLength: 1000, description: '`env=prod,role in (web,api),!legacy`' }),
  ),
  ...dateFilters,
};

export function ResourceQuery<P extends TProperties>(filters: P) {
  return ListQuery({ ...common, ...filters }, { sort });
}
