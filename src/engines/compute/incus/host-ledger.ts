/**
 * Records which machine is on which host. The engine itself reserves no capacity, so every process reserves room here
 * before it creates a machine, one reservation at a time. An entry exists from before its machine is created until
 * after it is deleted.
 */
import type { Db } from '../../../store/database.ts';
import { isUnavailable } from '../../../store/unavailable.ts';
import { EngineUnreachable } from '../../errors.ts';
import type { Placement, Ref, Size } from '../instance.ts';
import { type Choice, chooseHost, contains, type Host } from '../placement.ts';
import { type Entry, LedgerStore } from './store.ts';

/** A host and its total capacity; the used capacity is the sum of the ledger entries. */
export type HostTotal = Pick<Host, 'name' | 'total'>;

export interface Ledger {
  /**
   * Returns the host for a new machine: the host of its existing entry, otherwise the best fit. If the host of the
   * entry is not among `totals`, it is lost or closed, and another host is chosen.
   */
  reserve(ref: Ref, size: Size, placement: Placement | null, totals: readonly HostTotal[]): Promise<Choice>;
  /**
   * For a machine that changes its size or placement. It stays on its host if possible. If no host has room, the call
   * is refused and nothing changes.
   */
  move(entry: Entry, placement: Placement | null, totals: readonly HostTotal[]): Promise<Choice>;
  /** Returns what `reserve` would choose for a new machine, without reserving. */
  choose(size: Size, placement: Placement | null, totals: readonly HostTotal[]): Promise<Choice>;
  /** Records what the engine reports, without checking capacity. */
  note(entry: Entry): Promise<void>;
  find(ref: Ref): Promise<Entry | null>;
  used(): Promise<ReadonlyMap<string, Size>>;
  release(ref: Ref): Promise<void>;
}

const NONE: Size = { vcpus: 0, memoryMb: 0, diskGb: 0 };

export class PgLedger implements Ledger {
  readonly #store: LedgerStore;

  constructor(db: Db, location: string) {
    this.#store = new LedgerStore(db, location);
  }

  reserve: Ledger['reserve'] = (ref, size, placement, totals) =>
    this.#exclusively(async (store) => {
      const present = await store.find(ref);
      if (present !== null && totals.some(({ name }) => name === present.host)) return { host: present.host };
      const choice = await choose(store, size, placement, totals, ref);
      if ('host' in choice) await store.write({ ...ref, ...choice, size });
      return choice;
    });

  move: Ledger['move'] = ({ account, id, host, size }, placement, totals) =>
    this.#exclusively(async (store) => {
      const ref = { account, id };
      const before = await store.find(ref);
      // A machine may keep or shrink what it has, even if its host has become too small for it.
      const isLess = placement === null && before?.host === host && contains(before.size, size);
      const here = totals.filter(({ name }) => name === host);
      const stays = isLess
        ? { host }
        : await choose(store, size, placement && { ...placement, strict: true }, here, ref);
      const choice = 'host' in stays ? stays : await choose(store, size, placement, totals, ref);
      if ('host' in choice) await store.write({ ...ref, ...choice, size });
      return choice;
    });

  choose: Ledger['choose'] = (size, placement, totals) =>
    available(() => choose(this.#store, size, placement, totals, null));

  note: Ledger['note'] = (entry) => available(() => this.#store.write(entry));

  find: Ledger['find'] = (ref) => available(() => this.#store.find(ref));

  used: Ledger['used'] = () => available(() => this.#store.used(null));

  release: Ledger['release'] = (ref) => available(() => this.#store.delete(ref));

  #exclusively(work: (store: LedgerStore) => Promise<Choice>): Promise<Choice> {
    return available(() => this.#store.exclusively(work));
  }
}

/** Counts the room of `except` as free. */
async function choose(
  store: LedgerStore,
  size: Size,
  placement: Placement | null,
  totals: readonly HostTotal[],
  except: Ref | null,
): Promise<Choice> {
  const used = await store.used(except);
  const hosts = totals.map(({ name, total }) => ({ name, total, used: used.get(name) ?? NONE }));
  const others = (placement?.others ?? []).filter((id) => id !== except?.id);
  return chooseHost(hosts, size, placement, await store.hostsOf(others));
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new EngineUnreachable('The database with the host reservations does not answer.', { cause: error });
  }
}
