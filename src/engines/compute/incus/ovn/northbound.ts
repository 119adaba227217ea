/** The northbound database of OVN, which describes the logical switches and routers of all networks. */
import { type Operation, Ovsdb, type OvsdbAddress, OvsdbError, type Result, type Row } from './ovsdb.ts';

export type { Operation, Row } from './ovsdb.ts';

const DATABASE = 'OVN_Northbound';
const SETTLING_MS = 2000;
/** The error of a transaction in which an operation `wait` did not come true. */
export const TIMED_OUT = 'timed out';

type Condition = readonly [column: string, test: string, value: unknown];
export type Strings = Readonly<Record<string, string>>;

/** Values in the notation of OVSDB. */
export const setOf = (values: readonly unknown[]): unknown => ['set', values];
export const mapOf = (record: Strings): unknown => ['map', Object.entries(record)];
export const uuid = (id: string): unknown => ['uuid', id];
export const named = (name: string): unknown => ['named-uuid', name];

/** A set with one element is written as that element. */
export function readSet(value: unknown): readonly unknown[] {
  return Array.isArray(value) && value[0] === 'set' ? value[1] : [value];
}

export const readUuids = (value: unknown): string[] =>
  readSet(value).map((each) => (each as string[])[1] ?? '');

export function readMap(value: unknown): Strings {
  return Array.isArray(value) && value[0] === 'map' ? Object.fromEntries(value[1]) : {};
}

export const readUuid = ({ _uuid }: Row): string => (_uuid as string[])[1] ?? '';

export const isNamed = (name: string): Condition => ['name', '==', name];
const is = (id: string): Condition => ['_uuid', '==', uuid(id)];
export const isLabelled = (labels: Strings): Condition => ['external_ids', 'includes', mapOf(labels)];

export class Northbound {
  readonly #database: Ovsdb;

  constructor(address: OvsdbAddress) {
    this.#database = new Ovsdb(address);
  }

  async find(
    table: string,
    where: readonly Condition[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly Row[]> {
    const select = { op: 'select', table, where, columns: ['_uuid', ...columns] };
    const [result] = await this.change([select], signal);
    return result?.rows ?? [];
  }

  change(operations: readonly Operation[], signal?: AbortSignal): Promise<readonly Result[]> {
    return this.#database.transact(DATABASE, operations, signal);
  }

  /**
   * Changes the database and waits until all hosts do what it says then, as `ovn-nbctl --wait=hv` does. It does not wait
   * for long: a host may be down, and gets everything when it is back.
   */
  async changeAndSettle(operations: readonly Operation[], signal?: AbortSignal): Promise<readonly Result[]> {
    return (await this.#changeAndWait(operations, signal)).results;
  }

  /** Waits until all hosts do what was written before. False if a host does not do so yet. */
  async settle(signal?: AbortSignal): Promise<boolean> {
    return (await this.#changeAndWait([], signal)).isSettled;
  }

  async #changeAndWait(operations: readonly Operation[], signal?: AbortSignal) {
    const table = 'NB_Global';
    const results = await this.change(
      [
        ...operations,
        { op: 'mutate', table, where: [], mutations: [['nb_cfg', '+=', 1]] },
        { op: 'select', table, where: [], columns: ['nb_cfg'] },
      ],
      signal,
    );
    const written = results.at(-1)?.rows?.[0]?.nb_cfg ?? 0;
    // The database answers when no row is behind any more.
    const where = [['hv_cfg', '<', written]];
    const settled = { op: 'wait', table, where, columns: ['hv_cfg'], until: '==', rows: [] };
    try {
      await this.change([{ ...settled, timeout: SETTLING_MS }], signal);
      return { results, isSettled: true };
    } catch (error) {
      if (!(error instanceof OvsdbError && error.code === TIMED_OUT)) throw error;
      return { results, isSettled: false };
    }
  }

  close(): void {
    this.#database.close();
  }
}

export const update = (table: string, id: string, row: Row): Operation => ({
  op: 'update',
  table,
  where: [is(id)],
  row,
});

/** Lets the transaction fail with `timed out` if another process has changed the column since it was read. */
export const unlessChanged = (table: string, id: string, column: string, value: unknown): Operation => ({
  op: 'wait',
  table,
  where: [is(id)],
  columns: [column],
  until: '==',
  rows: [{ [column]: value }],
  timeout: 0,
});
