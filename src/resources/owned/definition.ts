/** What a resource tells `Owned` about itself. */
import type { Permission } from '../../kernel/access/permissions.ts';
import type { AuditChange } from '../../kernel/audit/entry.ts';
import type { Db } from '../../store/database.ts';
import type { OwnedEvent } from './events.ts';
import type { InventoryEntry } from './inventory.ts';
import type { Shown } from './store.ts';
import type { OwnedTableName, RowOf } from './table.ts';

export interface Definition<T extends OwnedTableName, E extends string, S extends object> {
  /** The name in events, audit entries and the inventory: `placement_group`. */
  readonly type: string;
  /** The prefix of the ids: `pg`. */
  readonly idPrefix: string;
  readonly table: T;
  /** The name in sentences. Default: the type, with spaces: `placement group`. */
  readonly words?: string;
  /** The subject of the event messages. Default: `The placement group`. */
  readonly subject?: string;
  /** What people lose when the resource is deleted, as a sentence: `Its data can no longer be restored.` */
  readonly loses: string;
  readonly permission?: Permission;
  /** The path of one resource; it begins with the family. Without a path: not in the inventory, and no price. */
  readonly path?: string;
  /** It can be stopped, and then has another price: `is_stopped` of its inventory entry. */
  readonly stops?: boolean;
  /** The limit in the provider's catalogue that counts resources of this type. */
  readonly limit?: string;
  /** The priced type that sets its price, if that is not its own type. For a part of another resource: that resource. */
  readonly pricedAs?: string;
  /** The key is the last part of the event type: `created`. `{}` uses the default sentences. */
  readonly events: Readonly<Record<E, OwnedEvent>>;
  /** The `data` of the created, updated and deleted events. */
  eventData?(row: RowOf<T>): Readonly<Record<string, unknown>>;
  /**
   * The fields of the inventory entry beside name and labels; the meter bills its `configuration`. A part of another
   * resource may read that resource, to take the location from it. Null: the inventory does not list this row, and
   * nothing is billed for it.
   */
  inventory?(row: RowOf<T>, db: Db): InventoryEntry | null | Promise<InventoryEntry | null>;
  /** Replaces changes that audit entries must not show in full. */
  audited?(change: AuditChange): AuditChange;
  /** Additional values that answers show beside the columns of the table. */
  readonly shows?: Shown<S>;
  /** Overrides the default, id and version, for resources whose answers depend on more than their row. */
  etag?(row: RowOf<T> & S): string;
}
