/**
 * Ring buffers of one size, allocated in large pages. A separate typed array for each address would take ten times the
 * memory of its content, and a million of them would slow down every garbage collection.
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
