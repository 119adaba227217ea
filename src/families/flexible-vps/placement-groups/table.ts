import type { Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned-table.ts';
import type { Tables } from '../../../store/database.ts';

interface PlacementGroupsTable extends OwnedTable {
  location: string;
  policy: 'spread' | 'compact';
  strict: boolean;
}

declare module '../../../store/database.ts' {
  interface Tables {
    placement_groups: PlacementGroupsTable;
  }
}

export type PlacementGroupRow = Selectable<Tables['placement_groups']>;
