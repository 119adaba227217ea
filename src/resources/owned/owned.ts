/**
 * A kind of resource that an account owns. Its row, inventory entry, meter, limit, name, audit effect and event are
 * written by the same few methods, so that no handler can forget one of them. Shapes, answers, lifecycles and steps stay
 * with the resource. Methods that take a call serve handlers; those that take a transaction serve steps and schedules.
 */
import type { Permission } from '../../kernel/access/permissions.ts';
import { changesBetween } from '../../kernel/audit/changes.ts';
import type { AuditChange } from '../../kernel/audit/entry.ts';
import type { Call } from '../../kernel/call.ts';
import { etagOf } from '../../kernel/etag.ts';
import type { EventType, NewEvent } from '../../kernel/events/event.ts';
import { idPrefix } from '../../kernel/ids.ts';
import type { ListCall } from '../../kernel/listing/store.ts';
import { findDeclared, type Reference, referenceOf } from '../../kernel/named/named.ts';
import { lockDeclarations } from '../../kernel/named/store.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Resource } from '../../kernel/registry.ts';
import type { PricedItem } from '../../money/prices/price.ts';
import type { Db } from '../../store/database.ts';
import { costOf } from '../inventory/cost.ts';
import { forgetResource } from '../inventory/store.ts';
import { requireRoom } from '../limits/require-room.ts';
import { type OwnedEvent, ownedEventTypes, sentenceOf } from './events.ts';
import { type InventoryEntry, type NoteOptions, noteOwned } from './inventory.ts';
import {
  columnsOf,
  deleteOwned,
  findOwned,
  findOwnedId,
  insertOwned,
  listOwned,
  lockOwned,
  newNameIn,
  nothingShown,
  type Shown,
  updateOwned,
  valuesOf,
} from './store.ts';
import type { NewRow, OwnedTableName, RowChange, RowOf, Where } from './table.ts';

type Reader = Pick<Call, 'db' | 'caller' | 'now'>;
type Writer = Pick<Call, 'db' | 'caller' | 'services' | 'effect' | 'event' | 'cost'>;
type News = Partial<Pick<NewEvent, 'message' | 'data' | 'severity'>>;
type Name = { readonly id: string; readonly name: string };

export interface Definition<T extends OwnedTableName, E extends string, S extends object> {
  /** `placement_group`, as events, audit entries and the inventory name it. */
  readonly type: string;
  /** `pg`: what its ids begin with. */
  readonly idPrefix: string;
  readonly table: T;
  /** `placement group`, as sentences name it. */
  readonly words: string;
  /** The subject of the messages of its events; `The placement group`, unless another is given. */
  readonly subject?: string;
  readonly family: string;
  readonly permission?: Permission;
  /** The path of one. Left out where the inventory does not list such things. */
  readonly path?: string;
  /** The limit of the provider's catalogue that counts these. */
  readonly limit?: string;
  /** By the last word of the type; `{}` for the usual sentences. */
  readonly events: Readonly<Record<E, OwnedEvent>>;
  /** The `data` of its created, updated and deleted events. */
  eventData?(row: RowOf<T>): Readonly<Record<string, unknown>>;
  /** What the inventory and the meter know of it beside name and labels. */
  inventory?(row: RowOf<T>): InventoryEntry;
  /** Where audit entries must not show a change as it is. */
  audited?(change: AuditChange): AuditChange;
  /** Where answers show more than the columns of the table. */
  shows?(call: Reader): Shown<S>;
  /** Where the version of the row is not all that makes it another one to clients. */
  etag?(row: RowOf<T> & S): string;
}

export class Owned<const T extends OwnedTableName, const E extends string, S extends object = object>
  implements Resource
{
  readonly type: string;
  readonly permission?: Permission;
  readonly path?: string;
  readonly limit?: string;
  readonly eventTypes: readonly EventType[];
  readonly newId: () => string;
  readonly #definition: Definition<T, E, S>;

  constructor(definition: Definition<T, E, S>) {
    const { type, permission, path, limit } = definition;
    this.type = type;
    if (permission !== undefined) this.permission = permission;
    if (path !== undefined) this.path = path;
    if (limit !== undefined) this.limit = limit;
    this.eventTypes = ownedEventTypes(definition);
    this.newId = idPrefix(type, definition.idPrefix);
    this.#definition = definition;
  }

  /** How effects, events and operations name one. */
  ref({ id, name }: Name) {
    return { type: this.type, id, name };
  }

  etag(row: RowOf<T> & S): string {
    const { id, version } = columnsOf(row);
    return this.#definition.etag?.(row) ?? etagOf(id, version);
  }

  event(name: E, row: Name, news: News = {}): NewEvent {
    const message = sentenceOf(this.#definition, name, row.name);
    return { type: `${this.type}.${name}`, resource: this.ref(row), message, ...news };
  }

  async list(call: ListCall & Reader, endpoint: string, where: Where<T> = {}) {
    return listOwned<T, S>(call, this.#definition.table, endpoint, where, this.#shown(call));
  }

  async find(call: Reader, reference: Reference): Promise<(RowOf<T> & S) | undefined> {
    const { db, caller } = call;
    return findOwned<T, S>(db, this.#definition.table, caller.account.id, reference, this.#shown(call));
  }

  async lock(call: Reader, reference: Reference): Promise<(RowOf<T> & S) | undefined> {
    const { db, caller } = call;
    return lockOwned<T, S>(db, this.#definition.table, caller.account.id, reference, this.#shown(call));
  }

  /** Throws 404 unless the account has it. */
  async get(call: Reader, nameOrId: string): Promise<RowOf<T> & S> {
    const row = await this.find(call, referenceOf(nameOrId));
    if (row === undefined) throw new Problem('not_found');
    return row;
  }

  /** For a call that changes it: locks the row until the transaction ends, then checks the caller's If-Match. */
  async take(call: Reader & Pick<Call, 'checkVersion'>, nameOrId: string): Promise<RowOf<T> & S> {
    const row = await this.lock(call, referenceOf(nameOrId));
    if (row === undefined) throw new Problem('not_found');
    call.checkVersion(this.etag(row));
    return row;
  }

  /** For a PUT: the row to replace, locked and checked, or the name of the one to make. */
  async declare(call: Reader & Pick<Call<{ id: string }>, 'params' | 'checkVersion'>) {
    return findDeclared(
      call,
      this.type,
      (reference) => this.lock(call, reference),
      (row) => this.etag(row),
    );
  }

  /** Holds off other creates and renames of the type in this account until the transaction ends. May be called again. */
  async lockNames({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<void> {
    await lockDeclarations(db, caller.account.id, this.type);
  }

  /** Throws 409 if another one has the name. Nobody else takes it until the transaction ends. */
  async requireFreeName(call: Pick<Call, 'db' | 'caller'>, name: string): Promise<void> {
    await this.lockNames(call);
    const id = await findOwnedId(call.db, this.#definition.table, call.caller.account.id, name);
    if (id !== undefined) throw new Problem('name_taken', { extra: { existing_id: id } });
  }

  /** Before a create: throws 409 unless the name is free and the limit leaves room for one more. */
  async requireFree(call: Parameters<typeof requireRoom>[0], name: string): Promise<void> {
    await this.requireFreeName(call, name);
    if (this.limit !== undefined) await requireRoom(call, this.limit);
  }

  /** Row, inventory, meter, effect, cost and event. The audit entry shows the columns in `shown`. */
  async create(
    call: Writer,
    columns: NewRow<T>,
    shown: readonly (keyof RowOf<T> & string)[] = [],
  ): Promise<RowOf<T>> {
    const row = await this.add(call, { ...columns, id: this.newId() }, shown);
    this.#tell(call, 'created', row);
    return row;
  }

  /** The same without the event: an operation tells it when the resource is ready. */
  async add(
    call: Omit<Writer, 'event'>,
    columns: NewRow<T> & { readonly id: string },
    shown: readonly (keyof RowOf<T> & string)[] = [],
  ): Promise<RowOf<T>> {
    const row = await insertOwned(call.db, this.#definition.table, call.caller.account.id, columns);
    await this.added(call, row, shown);
    return row;
  }

  /** The same for a row that the resource has inserted by itself. */
  async added(
    call: Omit<Writer, 'event'>,
    row: RowOf<T>,
    shown: readonly (keyof RowOf<T> & string)[] = [],
  ): Promise<void> {
    const { db, services, caller } = call;
    const priced = await this.note(db, row, { services, apiKeyId: caller.key.id });
    const changes =
      shown.length === 0 ? {} : { changes: this.#audited(changesBetween<RowOf<T>>(null, row, shown)) };
    call.effect({ action: 'create', ...this.ref(columnsOf(row)), ...changes });
    if (priced !== null) call.cost(costOf(services, priced, null, columnsOf(row).labels));
  }

  /** A new name must be free. Row, inventory, meter, effect and event, unless all is as wanted already. */
  async update(
    call: Writer,
    before: RowOf<T>,
    change: RowChange<T>,
    changes: readonly AuditChange[] = changesBetween<RowOf<T>>(before, valuesOf<T>(change)),
  ): Promise<RowOf<T>> {
    const { id, name } = columnsOf(before);
    const wanted = newNameIn<T>(change) ?? name;
    if (wanted !== name) await this.requireFreeName(call, wanted);
    const action = changes.length === 0 ? 'none' : 'update';
    const row = action === 'none' ? before : ((await this.change(call.db, id, change, call)) ?? before);
    call.effect({ action, ...this.ref({ id, name }), changes: this.#audited(changes) });
    if (action === 'update') this.#tell(call, 'updated', row);
    return row;
  }

  /** Row, inventory, meter, effect and event. */
  async remove(call: Pick<Call, 'db' | 'effect' | 'event'>, row: RowOf<T>): Promise<void> {
    await this.erase(call.db, columnsOf(row).id);
    call.effect({ action: 'delete', ...this.ref(columnsOf(row)) });
    this.#tell(call, 'deleted', row);
  }

  /** Row, inventory and meter. Undefined when the row is gone. */
  async change(
    db: Db,
    id: string,
    change: RowChange<T>,
    options: NoteOptions = {},
  ): Promise<RowOf<T> | undefined> {
    const row = await updateOwned(db, this.#definition.table, id, change);
    if (row !== undefined) await this.note(db, row, options);
    return row;
  }

  /** Row, inventory and meter. Undefined when the row was gone already. */
  async erase(db: Db, id: string, options: Pick<NoteOptions, 'at'> = {}): Promise<RowOf<T> | undefined> {
    const row = await deleteOwned(db, this.#definition.table, id);
    if (this.path !== undefined) await forgetResource(db, id, options);
    return row;
  }

  /** Keeps inventory and meter in step with a row that was written elsewhere. Answers its price, if it has one. */
  async note(db: Db, row: RowOf<T>, options: NoteOptions = {}): Promise<PricedItem | null> {
    if (this.path === undefined) return null;
    const { family, type, inventory } = this.#definition;
    return noteOwned(db, { family, type, ...columnsOf(row) }, inventory?.(row) ?? {}, options);
  }

  #audited(changes: readonly AuditChange[]): AuditChange[] {
    return changes.map((change) => this.#definition.audited?.(change) ?? change);
  }

  #shown(call: Reader): Shown<S> {
    return this.#definition.shows?.(call) ?? nothingShown<S>();
  }

  /** Nothing where the resource declares no such event. */
  #tell(call: Pick<Call, 'event'>, name: 'created' | 'updated' | 'deleted', row: RowOf<T>): void {
    const { eventData } = this.#definition;
    if (!this.#declares(name)) return;
    const data = eventData?.(row);
    call.event(this.event(name, columnsOf(row), data === undefined ? {} : { data }));
  }

  #declares(name: string): name is E {
    return Object.hasOwn(this.#definition.events, name);
  }
}
