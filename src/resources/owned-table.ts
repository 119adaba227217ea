/** The columns that all tables of named resources share. */
import type { Generated } from 'kysely';

export interface OwnedTable {
  id: string;
  account_id: string;
  name: string;
  labels: Generated<Record<string, string>>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
