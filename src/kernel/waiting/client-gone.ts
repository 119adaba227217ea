/** Whether a waiting client has disconnected. A cheaper AbortSignal, because thousands of clients may wait at once. */
export class Departure {
  #hasLeft = false;
  #waiting: { wake(): void } | undefined;

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#waiting?.wake();
  }

  /** Sets the object to wake when the client disconnects; undefined: none. */
  notify(waiting: { wake(): void } | undefined): void {
    this.#waiting = waiting;
  }
}
