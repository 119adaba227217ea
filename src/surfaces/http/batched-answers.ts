/**
 * Sends all answers of one turn of the event loop together at its end. The first answer wakes a sleeping receiver,
 * which is then awake for the rest; to wake a receiver costs as much as all the checks of a request.
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
        // Head and body are buffered together here; uncorking only after `end` would send two packets.
        response.socket?.uncork();
      }
      response.end();
    }
  };

  /** Expects that the head of the response is already set. */
  post(response: ServerResponse, body: string | null, isAscii: boolean): void {
    if (this.#waiting.push({ response, body, isAscii }) === 1) setImmediate(this.#empty);
  }
}
