/** The two sockets of a console as one stream: what is typed and shown, and what the engine wants to know besides. */
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { EngineUnreachable } from '../../errors.ts';

/** The engine drops what is typed before its own end is ready, and does not say when that is. */
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
    // Its way to say that this was all.
    if (!isBinary && chunk.length === 0) this.#hangUp();
    else if (!this.push(this.#isSerial ? this.#once(chunk) : chunk)) this.#data.pause();
  }

  /** Every terminal on the way adds a carriage return to the end of a line: one of them is meant. */
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
    // What is typed into a line that was hung up is nobody's.
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

  /** The control goes first: without it the engine ends the whole console. */
  #hangUp(): void {
    const sockets = [this.#control, this.#data];
    for (const socket of sockets) socket.close();
    setTimeout(() => {
      for (const socket of sockets) socket.terminate();
    }, FAREWELL_MS).unref();
  }
}

/** Both have to be there before anything flows. */
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
    socket.once('close', () => reject(new EngineUnreachable('The console hung up.')));
  });
}
