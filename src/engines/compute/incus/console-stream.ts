/**
 * Joins the two websockets of a console into one stream: the data socket carries input and output, the control socket
 * carries control messages.
 */
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { EngineUnreachable } from '../../errors.ts';

/** The engine drops input until its side of the console is ready, and it does not report when that is. */
const DEAF_MS = 500;
const FAREWELL_MS = 2000;
const RETURN = 0x0d;

export class Line extends Duplex {
  readonly #data: WebSocket;
  readonly #control: WebSocket;
  readonly #isSerial: boolean;
  #last = 0;

  constructor(data: WebSocket, control: WebSocket, kind: 'serial' | 'graphical') {
    super({ allowHalfOpen: false });
    this.#data = data;
    this.#control = control;
    this.#isSerial = kind === 'serial';
    data.on('message', (chunk: Buffer, isBinary) => this.#show(chunk, isBinary));
    data.on('close', () => this.push(null));
    control.on('close', () => data.close());
    if (this.#isSerial) this.#holdBack();
  }

  #holdBack(): void {
    this.cork();
    const release = (): void => {
      clearTimeout(timer);
      process.nextTick(() => this.uncork());
    };
    const timer = setTimeout(() => this.#data.off('message', release) && this.uncork(), DEAF_MS);
    this.#data.once('message', release);
    this.once('close', () => clearTimeout(timer));
  }

  #show(chunk: Buffer, isBinary: boolean): void {
    // The engine sends an empty text message at the end of the output.
    if (!isBinary && chunk.length === 0) this.#hangUp();
    else if (!this.push(this.#isSerial ? this.#once(chunk) : chunk)) this.#data.pause();
  }

  /** Every terminal on the way adds a carriage return to the end of a line; only one of them is passed on. */
  #once(chunk: Buffer): Buffer {
    const kept = chunk.filter(
      (byte, i) => byte !== RETURN || (i === 0 ? this.#last : chunk[i - 1]) !== RETURN,
    );
    this.#last = chunk.at(-1) ?? this.#last;
    return Buffer.from(kept);
  }

  override _read(): void {
    this.#data.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // Input is discarded after the connection was closed.
    if (this.#data.readyState === this.#data.OPEN) this.#data.send(chunk, () => done());
    else done();
  }

  override _final(done: () => void): void {
    this.#hangUp();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#hangUp();
    done(error);
  }

  /** Closes the control socket first: without it the engine ends the whole console. */
  #hangUp(): void {
    const sockets = [this.#control, this.#data];
    for (const socket of sockets) socket.close();
    setTimeout(() => {
      for (const socket of sockets) socket.terminate();
    }, FAREWELL_MS).unref();
  }
}

/** The engine passes on no data until both sockets are open. */
export async function joinLine(
  data: WebSocket,
  control: WebSocket,
  kind: 'serial' | 'graphical',
  signal?: AbortSignal,
): Promise<Line> {
  const sockets = [data, control];
  const hangUp = (): void => {
    for (const socket of sockets) socket.terminate();
  };
  for (const socket of sockets) socket.on('error', () => socket.terminate());
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    await Promise.all(sockets.map(opened));
    return new Line(data, control, kind);
  } catch (error) {
    hangUp();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', hangUp);
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) =>
      reject(new EngineUnreachable('The console does not answer.', { cause: error })),
    );
    socket.once('close', () => reject(new EngineUnreachable('The console closed the connection.')));
  });
}
