/** Whether somebody who waits is still there. Thousands wait at once: this is what an AbortSignal would be, for less. */
export class Departure {
  #hasLeft = false;
  #notice: (() => void) | undefined;

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#notice?.();
  }

  /** The one to be told; undefined when nobody needs to know any more. */
  notify(notice: (() => void) | undefined): void {
    this.#notice = notice;
  }
}
