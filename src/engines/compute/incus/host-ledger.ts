/**
 * Who is on which host. The engine itself promises room to nobody, so whoever makes a machine writes it down here first,
 * one after the other, whichever process asks. An entry lives from before its machine is made until after it is gone.
 */
import type { Db } from '../../../store/database.ts';
import { isUnavailable } from '../../../store/unavailable.ts';
import { EngineUnreachable } from '../../errors.ts';
import type { Placement, Ref, Size } from '../instance.ts';
import { type Choice, chooseHost, contains, type Host } from '../placement.ts';
import { type Entry, LedgerStore } from './store.ts';

/** A host and all there is of it; what is used is known from the entries. */
export type Room = Pick<Host, 'name' | 'total'>;

export interface Ledger {
  /**
   * Where it is to be made: where it is written down already, else where it fits best. A host that is none of the rooms
   * is lost or closed, and another is found.
   */
  reserve(ref: Ref, size: Size, placement: Placement | null, rooms: readonly Room[]): Promise<Choice>;
  /**
   * For a machine that grows, shrinks or moves: it stays where it is if it can. Refused where there is no room, and then
   * nothing changes.
   */
  move(entry: Entry, placement: Placement | null, rooms: readonly Room[]): Promise<Choice>;
  /** What `reserve` would say. */
  choose(size: Size, placement: Placement | null, rooms: readonly Room[]): Promise<Choice>;
  /** As the engine has it, whether there is room for it or not. */
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

  reserve: Ledger['reserve'] = (ref, size, placement, rooms) =>
    this.#exclusively(async (store) => {
      const present = await store.find(ref);
      if (present !== null && rooms.some(({ name }) => name === present.host)) return { host: present.host };
      const choice = await choose(store, size, placement, rooms, ref);
      if ('host' in choice) await store.write({ ...ref, ...choice, size });
      return choice;
    });

  move: Ledger['move'] = ({ account, id, host, size }, placement, rooms) =>
    this.#exclusively(async (store) => {
      const ref = { account, id };
      const before = await store.find(ref);
      // What it has already is its own, also where hosts have become smaller.
      const isLess = placement === null && before?.host === host && contains(before.size, size);
      const here = rooms.filter(({ name }) => name === host);
      const stays = isLess
        ? { host }
        : await choose(store, size, placement && { ...placement, strict: true }, here, ref);
      const choice = 'host' in stays ? stays : await choose(store, size, placement, rooms, ref);
      if ('host' in choice) await store.write({ ...ref, ...choice, size });
      return choice;
    });

  choose: Ledger['choose'] = (size, placement, rooms) =>
    available(() => choose(this.#store, size, placement, rooms, null));

  note: Ledger['note'] = (entry) => available(() => this.#store.write(entry));

  find: Ledger['find'] = (ref) => available(() => this.#store.find(ref));

  used: Ledger['used'] = () => available(() => this.#store.used(null));

  release: Ledger['release'] = (ref) => available(() => this.#store.delete(ref));

  #exclusively(work: (store: LedgerStore) => Promise<Choice>): Promise<Choice> {
    return available(() => this.#store.exclusively(work));
  }
}

/** What `except` takes by now is as good as free. */
async function choose(
  store: LedgerStore,
  size: Size,
  placement: Placement | null,
  rooms: readonly Room[],
  except: Ref | null,
): Promise<Choice> {
  const used = await store.used(except);
  const hosts = rooms.map(({ name, total }) => ({ name, total, used: used.get(name) ?? NONE }));
  const others = (placement?.others ?? []).filter((id) => id !== except?.id);
  return chooseHost(hosts, size, placement, await store.hostsOf(others));
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new EngineUnreachable('The book of who is on which host does not answer.', { cause: error });
  }
}
