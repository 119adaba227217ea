/** Reads a stream by positions that only grow, without holding more of it than its last chunk. */
export class ForwardReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  /** The position of the first byte of `#chunk` in the stream. */
  #start = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Yields the bytes from `position` on, fewer than `length` only if the stream ends. */
  async *slices(position: number, length: number): AsyncGenerator<Buffer> {
    if (position < this.#start) throw new Error('The stream was already read beyond this position.');
    for (let at = position; at < position + length; ) {
      while (at >= this.#start + this.#chunk.length) if (!(await this.#advance())) return;
      const slice = this.#chunk.subarray(at - this.#start, position + length - this.#start);
      at += slice.length;
      yield slice;
    }
  }

  /** The same arguments as those of a file handle. */
  async read(buffer: Buffer, offset: number, length: number, position: number) {
    let bytesRead = 0;
    for await (const slice of this.slices(position, length))
      bytesRead += slice.copy(buffer, offset + bytesRead);
    return { bytesRead };
  }

  /** Ends the stream, unless it has ended. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #advance(): Promise<boolean> {
    this.#start += this.#chunk.length;
    const next = await this.#chunks.next();
    this.#chunk = next.done === true ? Buffer.alloc(0) : next.value;
    return next.done !== true;
  }
}
