/** Whether somebody who waits is still there. Thousands wait at once: this is what an AbortSignal would be, for less. */
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

  /** The one to be told; undefined when nobody needs to know any more. */
  notify(waiting: { wake(): void } | undefined): void {
    this.#waiting = waiting;
  }
}
