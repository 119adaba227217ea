/**
 * A resource that each account has exactly once, such as opening hours: its path has no id, and nobody creates it. It is
 * there from the beginning, with the columns of `unset`, and has a row from the first change on. What another resource
 * has exactly once is columns of that one.
 */
import { changesBetween } from '../../kernel/audit/changes.ts';
import type { Call } from '../../kernel/call.ts';
import type { Owned } from './owned.ts';
import { columnsOf, rowsOf, valuesOf } from './store.ts';
import type { NewRow, OwnedTableName, RowChange, RowOf } from './table.ts';

type Writer = Parameters<Owned<OwnedTableName, string>['write']>[0] & Pick<Call, 'checkVersion'>;

interface Options<T extends OwnedTableName> {
  readonly table: T;
  /** The columns until the first change. */
  readonly unset: NewRow<T>;
}

/** The id follows from that of the account, so that there is one from the beginning: `acc_01…` has `hours_01…`. */
const idFor = (prefix: string, accountId: string): string =>
  `${prefix}${accountId.slice(accountId.lastIndexOf('_'))}`;

/** The version of what nobody has changed yet. */
const UNSET = 0;

export class Single<T extends OwnedTableName, E extends string> {
  readonly #owned: Owned<T, E>;
  readonly #options: Options<T>;

  constructor(owned: Owned<T, E>, options: Options<T>) {
    this.#owned = owned;
    this.#options = options;
  }

  async read({ db, caller: { account } }: Pick<Call, 'db' | 'caller'>): Promise<RowOf<T>> {
    const { table, unset } = this.#options;
    const id = idFor(this.#owned.idPrefix, account.id);
    const row = await rowsOf(table).find(db, account.id, id);
    return row ?? ({ ...unset, id, account_id: account.id, version: UNSET } as unknown as RowOf<T>);
  }

  /** Checks If-Match and writes row, effect and event if something changes. Other changes wait until this one ends. */
  async set(call: Writer, change: RowChange<T>): Promise<RowOf<T>> {
    await this.#owned.lockNames(call);
    const before = await this.read(call);
    call.checkVersion(this.#owned.etag(before));
    const changes = changesBetween<RowOf<T>>(before, valuesOf<T>(change));
    const { id, version } = columnsOf(before);
    if (changes.length > 0 && version === UNSET)
      await this.#owned.insert(call, { ...this.#options.unset, id });
    return this.#owned.write(call, before, change, changes);
  }
}
