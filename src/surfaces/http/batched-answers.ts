/**
 * The answers of one turn of the event loop leave at its end, one after the other: a receiver that sleeps is woken by
 * the first of them and awake for the rest, and to wake one costs as much as all our checks of a request.
 */
import type { ServerResponse } from 'node:http';

export class Outbox {
  #waiting: { readonly response: ServerResponse; readonly body: string | null; readonly isAscii: boolean }[] =
    [];
  readonly #empty = (): void => {
    const leaving = this.#waiting;
    this.#waiting = [];
    for (const { response, body, isAscii } of leaving) {
      if (body !== null) {
        response.write(body, isAscii ? 'latin1' : 'utf8');
        // Head and body are one piece by now; waiting for the end would make it two.
        response.socket?.uncork();
      }
      response.end();
    }
  };

  /** The head is set already. */
  post(response: ServerResponse, body: string | null, isAscii: boolean): void {
    if (this.#waiting.push({ response, body, isAscii }) === 1) setImmediate(this.#empty);
  }
}
