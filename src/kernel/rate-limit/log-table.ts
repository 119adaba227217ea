/**
 * The times of accepted requests, one log per address: a queue of 32-bit milliseconds in a ring, which is replaced by a
 * larger one when it is full (most addresses need only the smallest; the largest takes 800 bytes). All logs are in one
 * linked list, ordered by their last accepted request, so the stalest one is found at once.
 */
import { LIMIT } from './port.ts';
import { RingPool } from './ring-pool.ts';

const SIZES = [8, 40, LIMIT] as const;
const NONE = -1;

export class LogTable {
  readonly #pools = SIZES.map((size) => new RingPool(size));
  readonly #free: number[] = [];
  #made = 0;
  #sizeClass = new Uint8Array(64);
  #ring = new Int32Array(64);
  #head = new Uint8Array(64);
  #count = new Uint8Array(64);
  #older = new Int32Array(64);
  #newer = new Int32Array(64);
  #stalest = NONE;
  #freshest = NONE;

  /** Creates an empty log at the fresh end of the list. */
  open(): number {
    const log = this.#free.pop() ?? this.#made++;
    if (log >= this.#ring.length) this.#grow();
    this.#sizeClass[log] = 0;
    this.#ring[log] = this.#pools[0]!.acquire();
    this.#head[log] = 0;
    this.#count[log] = 0;
    this.#append(log);
    return log;
  }

  close(log: number): void {
    this.#unlink(log);
    this.#pools[this.#sizeClass[log]!]!.release(this.#ring[log]!);
    this.#free.push(log);
  }

  /** The log with the oldest last accepted request, or -1. */
  stalest(): number {
    return this.#stalest;
  }

  count(log: number): number {
    return this.#count[log]!;
  }

  /** The time at an index of the queue; 0 is the oldest. */
  timeAt(log: number, place: number): number {
    const pool = this.#pools[this.#sizeClass[log]!]!;
    return pool.read(this.#ring[log]!, (this.#head[log]! + place) % pool.size);
  }

  dropOldest(log: number): void {
    const size = this.#pools[this.#sizeClass[log]!]!.size;
    this.#head[log] = (this.#head[log]! + 1) % size;
    this.#count[log] = this.#count[log]! - 1;
  }

  /** The caller must ensure that `count` is below the limit. */
  push(log: number, time: number): void {
    let pool = this.#pools[this.#sizeClass[log]!]!;
    if (this.#count[log] === pool.size) pool = this.#enlarge(log, pool);
    pool.write(this.#ring[log]!, (this.#head[log]! + this.#count[log]!) % pool.size, time);
    this.#count[log] = this.#count[log]! + 1;
    if (this.#freshest === log) return;
    this.#unlink(log);
    this.#append(log);
  }

  #enlarge(log: number, from: RingPool): RingPool {
    const sizeClass = this.#sizeClass[log]! + 1;
    const to = this.#pools[sizeClass]!;
    const ring = to.acquire();
    const old = this.#ring[log]!;
    const head = this.#head[log]!;
    for (let i = 0; i < from.size; i++) to.write(ring, i, from.read(old, (head + i) % from.size));
    from.release(old);
    this.#sizeClass[log] = sizeClass;
    this.#ring[log] = ring;
    this.#head[log] = 0;
    return to;
  }

  #append(log: number): void {
    this.#older[log] = this.#freshest;
    this.#newer[log] = NONE;
    if (this.#freshest === NONE) this.#stalest = log;
    else this.#newer[this.#freshest] = log;
    this.#freshest = log;
  }

  #unlink(log: number): void {
    const older = this.#older[log]!;
    const newer = this.#newer[log]!;
    if (older === NONE) this.#stalest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#freshest = older;
    else this.#older[newer] = older;
  }

  #grow(): void {
    const length = this.#ring.length * 2;
    this.#sizeClass = copyInto(new Uint8Array(length), this.#sizeClass);
    this.#head = copyInto(new Uint8Array(length), this.#head);
    this.#count = copyInto(new Uint8Array(length), this.#count);
    this.#ring = copyInto(new Int32Array(length), this.#ring);
    this.#older = copyInto(new Int32Array(length), this.#older);
    this.#newer = copyInto(new Int32Array(length), this.#newer);
  }
}

function copyInto<A extends Uint8Array | Int32Array>(larger: A, smaller: A): A {
  larger.set(smaller);
  return larger;
}
