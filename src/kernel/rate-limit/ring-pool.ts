/**
 * Rings of one size, side by side in large pages. A typed array of its own for each address would cost ten times
 * what it holds, and a million of them would burden every garbage collection.
 */
const RINGS_PER_PAGE = 1024;

export class RingPool {
  readonly size: number;
  readonly #pages: Uint32Array[] = [];
  readonly #free: number[] = [];
  #made = 0;

  constructor(size: number) {
    this.size = size;
  }

  acquire(): number {
    const reused = this.#free.pop();
    if (reused !== undefined) return reused;
    if (this.#made === this.#pages.length * RINGS_PER_PAGE) {
      this.#pages.push(new Uint32Array(this.size * RINGS_PER_PAGE));
    }
    return this.#made++;
  }

  release(ring: number): void {
    this.#free.push(ring);
  }

  read(ring: number, index: number): number {
    return this.#pages[(ring / RINGS_PER_PAGE) | 0]![(ring % RINGS_PER_PAGE) * this.size + index]!;
  }

  write(ring: number, index: number, value: number): void {
    this.#pages[(ring / RINGS_PER_PAGE) | 0]![(ring % RINGS_PER_PAGE) * this.size + index] = value;
  }
}
