/**
 * Decides which due operations a worker may start, so that no account, location, kind or foreign server keeps the others
 * waiting (docs/decisions/0081-fair-slots.md).
 *
 * An operation belongs to a group for each of its properties, and to one for each combination of them. A group may
 * start another operation only while it runs fewer than the free slots of the lane, and for each further property of
 * the combination half as many. So a group that never ends anything leaves at least as many slots free as it holds, and
 * it cannot fill a larger group that others belong to as well.
 */
import { type Kind, type Lane, lanes } from '../../kernel/operations/kind.ts';

/** Operations with equal values are equal for the runner: the oldest runs first. */
export interface Cell {
  readonly lane: Lane;
  readonly account_id: string;
  readonly location: string;
  readonly type: string;
  readonly server: string;
}

export type SlotCounts = Readonly<Record<Lane, number>>;

/** With these, an account in one location can run as many operations at once as a worker without shares ran: 32. */
export const SLOTS: SlotCounts = { own: 128, foreign: 16, undo: 32 };

/** Kinds that typically take longer leave a third of the slots to shorter ones. */
const LONG_SECONDS = 30;
const LONG_SHARE = 2;

/** The values that all operations of a group have. */
type Values = Partial<Omit<Cell, 'lane'>>;

interface Group {
  readonly name: string;
  readonly lane: Lane;
  readonly values: Values;
  /** The group may hold this many times the number of free slots. */
  readonly share: number;
}

/** All operations with these values. Null stands for any value. */
export interface FullPlace {
  readonly lane: Lane;
  readonly location: string | null;
  readonly type: string | null;
}

export class Slots {
  readonly #counts: SlotCounts;
  readonly #kindOf: (type: string) => Pick<Kind, 'typicalSeconds'> | undefined;
  readonly #used: Record<Lane, number> = { own: 0, foreign: 0, undo: 0 };
  readonly #groups = new Map<string, Group & { readonly running: number }>();

  constructor(counts: SlotCounts, kindOf: (type: string) => Pick<Kind, 'typicalSeconds'> | undefined) {
    this.#counts = counts;
    this.#kindOf = kindOf;
  }

  get openLanes(): Lane[] {
    return lanes.filter((lane) => this.freeIn(lane) > 0);
  }

  usedIn(lane: Lane): number {
    return this.#used[lane];
  }

  freeIn(lane: Lane): number {
    return this.#counts[lane] - this.#used[lane];
  }

  /** The locations and kinds that may start nothing now, whatever the account and the foreign server. */
  get full(): FullPlace[] {
    return [...this.#groups.values()].flatMap((group) => {
      const { account_id, server, location = null, type = null } = group.values;
      const isPlace = account_id === undefined && server === undefined && (location ?? type) !== null;
      return isPlace && !this.#hasRoom(group) ? [{ lane: group.lane, location, type }] : [];
    });
  }

  /** Takes a slot, if the shares allow it. */
  take(cell: Cell): boolean {
    if (!this.#groupsOf(cell).every((group) => this.#hasRoom(group))) return false;
    this.add(cell);
    return true;
  }

  /** Counts an operation that runs. */
  add(cell: Cell): void {
    this.#used[cell.lane]++;
    for (const group of this.#groupsOf(cell)) {
      const { running } = this.#groups.get(group.name) ?? { running: 0 };
      this.#groups.set(group.name, { ...group, running: running + 1 });
    }
  }

  #hasRoom({ name, lane, share }: Group): boolean {
    return (this.#groups.get(name)?.running ?? 0) < share * this.freeIn(lane);
  }

  #groupsOf({ lane, account_id, location, type, server }: Cell): Group[] {
    const whole = { account_id, location, type, ...(server === '' ? {} : { server }) };
    let groups: readonly Group[] = [{ name: lane, lane, values: {}, share: 2 }];
    for (const [property, value] of Object.entries(whole))
      groups = [
        ...groups,
        ...groups.map(({ name, values, share }) => ({
          name: `${name} ${property}:${value}`,
          lane,
          values: { ...values, [property]: value },
          share: share / 2,
        })),
      ];
    const [, ...combinations] = groups;
    const isLong = (this.#kindOf(type)?.typicalSeconds ?? 0) >= LONG_SECONDS;
    return isLong
      ? [...combinations, { name: `${lane} long`, lane, values: {}, share: LONG_SHARE }]
      : combinations;
  }
}
