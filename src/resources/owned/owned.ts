/**
 * `Owned` defines a type of resource that an account owns. Its methods write the row together with the inventory entry,
 * meter, audit effect and event, and check limit and name, so that no handler can forget one of them. Shapes, answers,
 * lifecycles and steps stay with the resource. Handlers use the methods that take a call; operation steps and schedules
 * use the methods that take a transaction.
 */
import type { Permission } from '../../kernel/access/permissions.ts';
import { changesBetween } from '../../kernel/audit/changes.ts';
import type { AuditChange } from '../../kernel/audit/entry.ts';
import type { Call } from '../../kernel/call.ts';
import { forGood } from '../../kernel/effect.ts';
import type { Loss } from '../../kernel/effect-view.ts';
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
import { costLines } from '../inventory/cost.ts';
import { forgetResource } from '../inventory/store.ts';
import { requireRoom } from '../limits/require-room.ts';
import type { Definition } from './definition.ts';
import { type Name, type News, ownedEventTypes, sentenceOf, wordsFor } from './events.ts';
import { type NoteOptions, noteOwned } from './inventory.ts';
import { refuseTaken } from './refuse-taken.ts';
import { type Payer, reportCost } from './reported-cost.ts';
import {
  columnsOf,
  deleteOwned,
  findOwned,
  findOwnedId,
  insertOwned,
  listOwned,
  lockOwned,
  type Narrowing,
  newNameIn,
  nothingShown,
  type Reading,
  type Shown,
  updateOwned,
  valuesOf,
} from './store.ts';
import type { NewRow, OwnedTableName, RowChange, RowOf } from './table.ts';

type Reader = Pick<Call, 'db' | 'caller'>;
type Writer = Pick<Call, 'caller' | 'effect' | 'event'> & Payer;

export class Owned<const T extends OwnedTableName, const E extends string, S extends object = object>
  implements Resource
{
  readonly type: string;
  readonly words: string;
  readonly permission?: Permission;
  readonly path?: string;
  readonly limit?: string;
  readonly pricedAs?: string;
  readonly stops: boolean;
  readonly eventTypes: readonly EventType[];
  /** What a deletion takes away. */
  readonly loss: Loss;
  readonly idPrefix: string;
  readonly newId: () => string;
  readonly #definition: Definition<T, E, S>;

  constructor(definition: Definition<T, E, S>) {
    const { type, words = wordsFor(type), permission, path, limit, pricedAs } = definition;
    this.type = type;
    this.words = words;
    if (permission !== undefined) this.permission = permission;
    if (path !== undefined) this.path = path;
    if (limit !== undefined) this.limit = limit;
    if (pricedAs !== undefined) this.pricedAs = pricedAs;
    this.stops = definition.stops ?? false;
    this.eventTypes = ownedEventTypes(definition);
    this.loss = forGood(definition.loses);
    this.idPrefix = definition.idPrefix;
    this.newId = idPrefix(type, definition.idPrefix);
    this.#definition = definition;
  }

  /** The reference to a resource in effects, events and operations. */
  ref<N extends string | null = null>({ id, name = null as N }: Name<N>) {
    return { type: this.type, id, name };
  }

  etag(row: RowOf<T> & S): string {
    const { id, version } = columnsOf(row);
    return this.#definition.etag?.(row) ?? etagOf(id, version);
  }

  event(name: E, row: Name, { says, ...news }: News = {}): NewEvent {
    const message = sentenceOf(this.#definition, name, row.name ?? row.id, says);
    return { type: `${this.type}.${name}`, resource: this.ref(row), message, ...news };
  }

  async list(call: ListCall & Reader, endpoint: string, narrowing: Narrowing<T> = {}) {
    return listOwned<T, S>(call, this.#definition.table, endpoint, narrowing, this.#shown);
  }

  async find({ db, caller }: Reader, reference: Reference, reading: Reading = {}) {
    return findOwned<T, S>(db, this.#definition.table, caller.account.id, reference, this.#shown, reading);
  }

  async lock(call: Reader, reference: Reference): Promise<(RowOf<T> & S) | undefined> {
    const { db, caller } = call;
    return lockOwned<T, S>(db, this.#definition.table, caller.account.id, reference, this.#shown);
  }

  /** Throws 404 unless the account has the resource. */
  async get(call: Reader, nameOrId: string): Promise<RowOf<T> & S> {
    const row = await this.find(call, referenceOf(nameOrId));
    if (row === undefined) throw new Problem('not_found');
    return row;
  }

  /** For calls that change the resource: locks the row until the transaction ends, then checks If-Match. */
  async take(call: Reader & Pick<Call, 'checkVersion'>, nameOrId: string): Promise<RowOf<T> & S> {
    const row = await this.lock(call, referenceOf(nameOrId));
    if (row === undefined) throw new Problem('not_found');
    call.checkVersion(this.etag(row));
    return row;
  }

  /** For a PUT: returns the row to replace, locked and with If-Match checked, or the name for a new resource. */
  async declare(call: Reader & Pick<Call<{ id: string }>, 'params' | 'checkVersion'>) {
    return findDeclared(
      call,
      this.type,
      (reference) => this.lock(call, reference),
      (row) => this.etag(row),
    );
  }

  /** Blocks other creates and renames of this type in the account until the transaction ends. May be repeated. */
  async lockNames({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<void> {
    await lockDeclarations(db, caller.account.id, this.type);
  }

  /** Throws 409 if another resource has the name. No other transaction can take the name until this one ends. */
  async requireFreeName(call: Pick<Call, 'db' | 'caller'>, name: string): Promise<void> {
    await this.lockNames(call);
    await this.refuseTaken(call, name);
  }

  /** Like `requireFreeName`, but another transaction may take the name meanwhile: the insert has to expect it. */
  async refuseTaken({ db, caller }: Pick<Call, 'db' | 'caller'>, name: string): Promise<void> {
    refuseTaken(await findOwnedId(db, this.#definition.table, caller.account.id, name), name, this);
  }

  /** Before a create: throws 409 unless the name is free and the limit leaves room for one more, in the location. */
  async requireFree(
    call: Parameters<typeof requireRoom>[0],
    name: string,
    location: string | null = null,
  ): Promise<void> {
    await this.requireFreeName(call, name);
    if (this.limit !== undefined) await requireRoom(call, [{ limit: this.limit, amount: 1, location }]);
  }

  /** Writes row, inventory entry, meter, effect, cost and event. The audit entry shows the columns in `shown`. */
  async create(
    call: Writer,
    columns: NewRow<T>,
    shown: readonly (keyof RowOf<T> & string)[] = [],
  ): Promise<RowOf<T>> {
    const row = await this.add(call, { ...columns, id: this.newId() }, shown);
    this.#tell(call, 'created', row);
    return row;
  }

  /** Like `create`, but without the event: the operation emits it when the resource is ready. */
  async add(
    call: Omit<Writer, 'event'>,
    columns: NewRow<T> & { readonly id: string },
    shown: readonly (keyof RowOf<T> & string)[] = [],
  ): Promise<RowOf<T>> {
    const row = await this.insert(call, columns);
    await this.added(call, row, shown);
    return row;
  }

  /** Inserts only the row; `added` has to follow. Throws 409 if the name is taken. */
  async insert(
    call: Pick<Call, 'db' | 'caller'>,
    columns: NewRow<T> & { readonly id: string },
  ): Promise<RowOf<T>> {
    const row = await insertOwned(call.db, this.#definition.table, call.caller.account.id, columns);
    if (row !== undefined) return row;
    await this.refuseTaken(call, newNameIn<T>(columns as unknown as RowChange<T>) ?? '');
    throw new Error(`The new ${this.type} conflicts with another in more than its name.`);
  }

  /** Like `add`, for a row that the caller has already inserted. */
  async added(
    call: Omit<Writer, 'event'>,
    row: RowOf<T>,
    shown: readonly (keyof RowOf<T> & string)[] = [],
  ): Promise<void> {
    const { db, services, caller } = call;
    const priced = await this.note(db, row, { services, apiKeyId: caller.key?.id ?? null, isNew: true });
    const changes =
      shown.length === 0 ? {} : { changes: this.#audited(changesBetween<RowOf<T>>(null, row, shown)) };
    call.effect({ action: 'create', ...this.ref(columnsOf(row)), ...changes });
    if (priced === null) return;
    const { hourly, monthly } = priced;
    const { id: resourceId, labels } = columnsOf(row);
    const cost = { hourly, monthly, monthlyAfter: monthly, lines: costLines(priced) };
    call.cost({ ...cost, labels, resourceId, creatorKeyId: null });
  }

  /** Writes row, inventory entry, meter, effect, cost and event if something changes. Throws 409 if a name is taken. */
  async update(
    call: Writer,
    before: RowOf<T>,
    change: RowChange<T>,
    changes: readonly AuditChange[] = changesBetween<RowOf<T>>(before, valuesOf<T>(change)),
  ): Promise<RowOf<T>> {
    const wanted = newNameIn<T>(change);
    if (wanted !== undefined && wanted !== columnsOf(before).name) await this.requireFreeName(call, wanted);
    return this.write(call, before, change, changes);
  }

  /** Like `update`, for a caller that has already checked that the new name is free. */
  async write(
    call: Writer,
    before: RowOf<T>,
    change: RowChange<T>,
    changes: readonly AuditChange[],
  ): Promise<RowOf<T>> {
    const { id, name } = columnsOf(before);
    const action = changes.length === 0 ? 'none' : 'update';
    if (action === 'update') await this.reportCost(call, [before], valuesOf<T>(change));
    const row = action === 'none' ? before : ((await this.change(call.db, id, change, call)) ?? before);
    call.effect({ action, ...this.ref({ id, name }), changes: this.#audited(changes) });
    if (action === 'update') this.#tell(call, 'updated', row);
    return row;
  }

  /** Deletes row, inventory entry and meter, and reports effect, cost and event. */
  async remove(call: Pick<Call, 'effect' | 'event'> & Payer, row: RowOf<T>): Promise<void> {
    await this.reportCost(call, [row], null);
    await this.erase(call.db, columnsOf(row).id);
    call.effect({ action: 'delete', ...this.ref(columnsOf(row)), loss: this.loss });
    this.#tell(call, 'deleted', row);
  }

  /**
   * Before a change that an operation makes: reports the difference between what is billed now and what will be billed
   * when the rows have the values in `after`. `null`: when they are deleted. `isNew`: this call added the rows, and
   * nothing is billed for them yet.
   */
  reportCost(call: Payer, rows: readonly RowOf<T>[], after: Partial<RowOf<T>> | null, isNew = false) {
    return reportCost<T>(call, this.#definition, rows, after, isNew);
  }

  /** Updates row, inventory entry and meter. Returns undefined if the row no longer exists. */
  async change(db: Db, id: string, change: RowChange<T>, options: NoteOptions = {}) {
    const row = await updateOwned(db, this.#definition.table, id, change);
    if (row !== undefined) await this.note(db, row, options);
    return row;
  }

  /** Deletes row, inventory entry and meter. Returns undefined if the row was already deleted. */
  async erase(db: Db, id: string, options: Pick<NoteOptions, 'at'> = {}): Promise<RowOf<T> | undefined> {
    const row = await deleteOwned(db, this.#definition.table, id);
    if (this.path !== undefined) await forgetResource(db, id, options);
    return row;
  }

  /** Updates inventory entry and meter for a row that other code has written. Returns the price, or null if free. */
  async note(db: Db, row: RowOf<T>, options: NoteOptions = {}): Promise<PricedItem | null> {
    if (this.path === undefined) return null;
    const kind = { family: this.path.split('/')[1] ?? '', type: this.type, pricedAs: this.pricedAs };
    const entry = await (this.#definition.inventory?.(row, db) ?? {});
    return entry && noteOwned(db, { ...kind, ...columnsOf(row) }, entry, options);
  }

  #audited(changes: readonly AuditChange[]): AuditChange[] {
    return changes.map((change) => this.#definition.audited?.(change) ?? change);
  }

  get #shown(): Shown<S> {
    return this.#definition.shows ?? nothingShown<S>();
  }

  /** Emits nothing if the resource does not declare the event. */
  #tell(call: Pick<Call, 'event'>, name: 'created' | 'updated' | 'deleted', row: RowOf<T>): void {
    if (!this.#declares(name)) return;
    const data = this.#definition.eventData?.(row);
    call.event(this.event(name, columnsOf(row), data === undefined ? {} : { data }));
  }

  #declares(name: string): name is E {
    return Object.hasOwn(this.#definition.events, name);
  }
}
