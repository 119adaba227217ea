/**
 * Generates the load in its own process: open connections, prepared requests, one outstanding on each
 * connection. An answer counts once its complete body has arrived, and only with the expected status.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { median, percentile } from './median.ts';

export interface Order {
  readonly port: number;
  /** The name of a set of requests that was sent to this process before. */
  readonly set: string;
  readonly status: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** Stops after this many requests, even if time is left. */
  readonly atMost?: number;
  /** The requests of the set alternate between this many kinds; the latency is reported for each kind. */
  readonly kinds?: number;
}

export interface Outcome {
  readonly answers: number;
  readonly seconds: number;
  /** Median milliseconds, by kind. */
  readonly latencies: readonly number[];
  /** The 95th percentile of the milliseconds, by kind. */
  readonly slowest: readonly number[];
  /** The 99th percentile, by kind. */
  readonly p99: readonly number[];
}

export type ToLoad = { readonly set: string; readonly requests: readonly string[] } | { readonly run: Order };
export type FromLoad =
  | { readonly kind: 'kept' }
  | { readonly kind: 'ran'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly reason: string };

const PATIENCE_MS = 10_000;

interface Listener {
  answered(): void;
  failed(reason: string): void;
}

class Line {
  readonly #socket: Socket;
  readonly #status: string;
  readonly #listener: Listener;
  #begun: Buffer | undefined;
  #missing = 0;

  constructor(socket: Socket, status: number, listener: Listener) {
    this.#socket = socket;
    this.#status = String(status);
    this.#listener = listener;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => listener.failed(error.message));
    socket.on('close', () => listener.failed('the server closed a connection'));
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  end(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#missing > 0) this.#count(chunk.length);
    else this.#begin(chunk);
  }

  #begin(chunk: Buffer): void {
    const bytes = this.#begun === undefined ? chunk : Buffer.concat([this.#begun, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#begun = bytes;
      return;
    }
    this.#begun = undefined;
    const head = bytes.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (head.slice(9, 12) !== this.#status || length === undefined) {
      const wanted = `expected ${this.#status} with a Content-Length`;
      this.#listener.failed(`${wanted}, got ${bytes.toString('utf8', 0, 900)}`);
      return;
    }
    this.#missing = end + 4 + Number(length);
    this.#count(bytes.length);
  }

  #count(arrived: number): void {
    this.#missing -= arrived;
    if (this.#missing < 0) this.#listener.failed('more came than the answer is long');
    else if (this.#missing === 0) this.#listener.answered();
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

interface Requests {
  readonly bytes: readonly Buffer[];
  next: number;
}

const sets = new Map<string, Requests>();

async function run(order: Order): Promise<Outcome> {
  const requests = sets.get(order.set);
  if (requests === undefined) throw new Error(`The requests ${order.set} were never sent over.`);
  const { kinds = 1, atMost = Number.POSITIVE_INFINITY } = order;
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => open(order.port)));
  const latencies: number[][] = Array.from({ length: kinds }, () => []);
  const lines: Line[] = [];
  let sent = 0;
  let waiting = 0;
  let last = 0;
  const started = performance.now();
  const deadline = started + order.milliseconds;

  await new Promise<void>((resolve, reject) => {
    const failed = (reason: string): void => reject(new Error(reason));
    const patience = setTimeout(() => failed('an answer did not come'), order.milliseconds + PATIENCE_MS);
    const begin = (socket: Socket): void => {
      let sentAt = 0;
      let kind = 0;
      const send = (): void => {
        const place = requests.next++ % requests.bytes.length;
        kind = place % kinds;
        sent++;
        waiting++;
        sentAt = performance.now();
        line.send(requests.bytes[place]!);
      };
      const answered = (): void => {
        const now = performance.now();
        waiting--;
        if (now <= deadline) {
          last = now;
          latencies[kind]!.push(now - sentAt);
        }
        if (now < deadline && sent < atMost) send();
        if (waiting > 0) return;
        clearTimeout(patience);
        resolve();
      };
      const line = new Line(socket, order.status, { answered, failed });
      lines.push(line);
      send();
    };
    sockets.forEach(begin);
  }).finally(() => {
    for (const line of lines) line.end();
  });

  const answers = latencies.reduce((sum, { length }) => sum + length, 0);
  return {
    answers,
    seconds: (last - started) / 1000,
    latencies: latencies.map(median),
    slowest: latencies.map((each) => percentile(each, 0.95)),
    p99: latencies.map((each) => percentile(each, 0.99)),
  };
}

function reply(message: FromLoad): void {
  process.send?.(message);
}

process.on('message', (message: ToLoad) => {
  if ('set' in message) {
    sets.set(message.set, { bytes: message.requests.map((text) => Buffer.from(text, 'latin1')), next: 0 });
    reply({ kind: 'kept' });
    return;
  }
  run(message.run).then(
    (outcome) => reply({ kind: 'ran', outcome }),
    (error: Error) => reply({ kind: 'failed', reason: error.message }),
  );
});
process.on('disconnect', () => process.exit());
