/** A client for server-sent events. It collects the received frames and can wait for an expected frame. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';

export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
}

export class StreamReader {
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  /** The received bytes as text, not parsed. */
  text = '';
  ended = false;
  #wake: () => void = () => undefined;

  private constructor(outgoing: ClientRequest, response: IncomingMessage) {
    this.#request = outgoing;
    this.response = response;
    const end = (): void => {
      this.ended = true;
      this.#wake();
    };
    response.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
      this.#wake();
    });
    response.on('end', end).on('error', end).on('close', end);
  }

  /** Connects and waits for the status and the headers of the answer. */
  static async open(port: number, path: string, headers: Record<string, string>): Promise<StreamReader> {
    const outgoing = request({
      port,
      host: '127.0.0.1',
      path,
      agent: false,
      headers: { accept: 'text/event-stream', ...headers },
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject).end();
    });
    return new StreamReader(outgoing, response);
  }

  get frames(): Frame[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .map((block) =>
        Object.fromEntries(
          block
            .split('\n')
            .filter((line) => !line.startsWith(':'))
            .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
        ),
      );
  }

  get events(): Frame[] {
    return this.frames.filter(({ data }) => data !== undefined);
  }

  get sequences(): number[] {
    return this.events.filter(({ id }) => id !== undefined).map(({ data = '' }) => JSON.parse(data).sequence);
  }

  async until(isThere: (reader: StreamReader) => boolean): Promise<this> {
    while (!isThere(this)) {
      if (this.ended) throw new Error(`The stream ended before that: ${this.text.slice(-500)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this;
  }

  async end(): Promise<this> {
    while (!this.ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this;
  }

  /** Stops reading, but keeps the connection open. */
  stall(): void {
    this.response.pause();
  }

  leave(): void {
    this.#request.destroy();
  }
}
