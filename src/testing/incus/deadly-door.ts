/**
 * A proxy in front of an engine, through which only the worker speaks to it. At chosen requests the worker is killed:
 * the engine did what it was asked for, and nobody was told.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';

/** A worker is killed at the first request, or the one after `skips` others, whose method and path match, as in `PUT /1.0/images/…`. */
export interface Deadly {
  readonly request: RegExp;
  /** `answer`: the engine has answered, and the worker does not see it. `body`: a part of the request was sent. */
  readonly at: 'answer' | 'body';
  readonly skips?: number;
}

export class DeadlyDoor {
  readonly url: string;
  /** What is still to come, in this order. */
  left: Deadly[] = [];
  readonly #server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  readonly #engine: string;
  readonly #kill: () => Promise<void>;

  private constructor(path: string, engine: string, kill: () => Promise<void>) {
    this.url = `unix://${path}`;
    this.#engine = engine;
    this.#kill = kill;
  }

  /** `path` is that of the new socket, `engine` that of the engine's. */
  static async open(path: string, engine: string, kill: () => Promise<void>): Promise<DeadlyDoor> {
    const door = new DeadlyDoor(path, engine, kill);
    // The worker listens to events of the engine, which come through a WebSocket.
    door.#server.on('upgrade', ({ method, url, headers }: IncomingMessage, near) => {
      const far = connect(engine);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      far.write([`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      near.on('error', () => far.destroy()).pipe(far);
      far.on('error', () => near.destroy()).pipe(near);
    });
    door.#server.listen(path);
    await once(door.#server, 'listening');
    return door;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url = '', headers } = incoming;
    const [next] = this.left;
    const matches = next?.request.test(`${method} ${url}`) === true;
    const isDeadly = matches && (next.skips ?? 0) === 0;
    if (matches && !isDeadly) this.left[0] = { ...next, skips: (next.skips ?? 0) - 1 };
    const die = (): void => {
      this.left.shift();
      void this.#kill();
    };
    const to = { socketPath: this.#engine, method, path: url, headers };
    const onward = request({ ...to, agent: false }, (answer) => {
      if (isDeadly && next.at === 'answer') {
        answer.resume().on('end', die);
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      pipeline(answer, outgoing, () => undefined);
    });
    if (isDeadly && next.at === 'body') incoming.once('data', die);
    pipeline(incoming, onward, () => undefined);
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
  }
}
