/** The common columns of the tables that store resources of accounts, and the types of their rows. */
import type { Generated, InsertObject, Selectable, UpdateObject } from 'kysely';
import type { Tables } from '../../store/database.ts';

/** The columns of every resource that the inventory lists. */
export interface OwnedTable extends OwnedColumns {
  labels: Generated<Record<string, string>>;
}

/** Resources that the inventory does not list, such as budgets, may have no labels. */
export interface OwnedColumns extends UnnamedColumns {
  name: string;
}

/** Resources that nobody names, such as orders. Effects, events and the inventory show the id in place of the name. */
export interface UnnamedColumns {
  id: string;
  account_id: string;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export type OwnedTableName = {
  [T in keyof Tables]: Tables[T] extends UnnamedColumns ? T : never;
}[keyof Tables];

export type RowOf<T extends OwnedTableName> = Selectable<Tables[T]>;

/** Columns that only `Owned` writes. */
type Kept = 'version' | 'created_at' | 'updated_at';

export type NewRow<T extends OwnedTableName> = Omit<InsertObject<Tables, T>, 'id' | 'account_id' | Kept>;
export type RowChange<T extends OwnedTableName> = Omit<UpdateObject<Tables, T>, 'id' | 'account_id' | Kept>;

/** Filters of a list: columns and the value that each must have. */
export type Where<T extends OwnedTableName> = { readonly [C in keyof RowOf<T>]?: RowOf<T>[C] | undefined };
