/** Thousands of callers, each with its own connection, that send a long-poll and wait for the answer. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { addressAt, writeRequest } from './requests.ts';

export const CALLERS = 5_000;
const AT_ONCE = 100;
/** /metrics says something new once a second, and a long-poll ends after a minute, so few groups are asked. */
const ASKED_AT_ONCE = 500;
const HOLDING_MS = 30_000;
/** Beyond the client addresses that the other figures use. */
const FIRST_ADDRESS = 40_000;

class Caller {
  readonly #socket: Socket;
  #received = '';
  #answered: ((at: number) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      const head = this.#received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? Number.NaN);
      if (head < 0 || this.#received.length < head + 4 + length) return;
      this.#answered?.(performance.now());
    });
  }

  /** Resolves with the time at which the complete answer had arrived. */
  ask(request: string): Promise<number> {
    this.#received = '';
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request);
    });
  }

  end(): void {
    this.#socket.destroy();
  }
}

async function untilHeld(port: number, count: number): Promise<void> {
  const patience = performance.now() + HOLDING_MS;
  while (performance.now() < patience) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const read = (name: string): number => Number(new RegExp(`^\\w*_${name} (\\d+)`, 'm').exec(text)?.[1]);
    // Each long-poll queries the database once before it waits.
    if (read('waiters') >= count && read('pool_waiting') === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(
    `Some of ${count} long-polls do not wait: the server answered them before there was an event.`,
  );
}

export class Crowd {
  readonly #port: number;
  readonly #callers: Caller[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async gather(): Promise<void> {
    while (this.#callers.length < CALLERS) {
      const some = Array.from({ length: AT_ONCE }, async () => {
        const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
        await once(socket, 'connect');
        return new Caller(socket);
      });
      this.#callers.push(...(await Promise.all(some)));
    }
  }

  /**
   * Sends one long-poll per caller and returns once the server holds all of them. The promises resolve with
   * the time of each answer.
   */
  async ask(key: string, pathOf: (place: number) => string): Promise<Promise<number>[]> {
    const answers: Promise<number>[] = [];
    for (let from = 0; from < this.#callers.length; from += ASKED_AT_ONCE) {
      for (const [i, caller] of this.#callers.slice(from, from + ASKED_AT_ONCE).entries()) {
        const address = addressAt(FIRST_ADDRESS + from + i);
        answers.push(caller.ask(writeRequest({ path: pathOf(from + i), key, address })));
      }
      await untilHeld(this.#port, answers.length);
    }
    return answers;
  }

  disperse(): void {
    for (const caller of this.#callers) caller.end();
  }
}
