/** The northbound database of OVN, which describes the logical switches and routers of all networks. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Operation, Ovsdb, type OvsdbAddress, type Result, type Row } from './ovsdb.ts';

export type { Operation, Row } from './ovsdb.ts';

const DATABASE = 'OVN_Northbound';
const SETTLING_MS = 2000;
/** Most changes are done within a few milliseconds, so the pauses begin short. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;

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
   * Waits until all hosts do what was written before, as `ovn-nbctl --wait=hv` does. It does not wait for long: a host
   * may be down, and gets everything when it is back.
   */
  async settle(signal?: AbortSignal): Promise<void> {
    const table = 'NB_Global';
    const [, read] = await this.change(
      [
        { op: 'mutate', table, where: [], mutations: [['nb_cfg', '+=', 1]] },
        { op: 'select', table, where: [], columns: ['nb_cfg'] },
      ],
      signal,
    );
    const wanted = Number(read?.rows?.[0]?.nb_cfg);
    let pause = SHORTEST_PAUSE_MS;
    for (let waited = 0; waited < SETTLING_MS; waited += pause) {
      const [row] = await this.find(table, [], ['hv_cfg'], signal);
      if (Number(row?.hv_cfg) >= wanted) return;
      await wait(pause, undefined, { signal });
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
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
