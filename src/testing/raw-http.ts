/**
 * Sends and receives raw HTTP bytes, for tests of malicious clients: invalid requests are sent unchanged, and answers
 * are returned as received.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const note = (): void => this.#wake();
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      note();
    });
    // A reset by the server ends the connection too; 'close' follows it.
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.#ended = true;
        note();
      });
  }

  send(...parts: (string | Buffer)[]): this {
    for (const part of parts) if (this.#socket.writable) this.#socket.write(part);
    return this;
  }

  /** Waits for the next answer; undefined if the connection closes first. */
  async answer(options: { readonly hasBody?: boolean } = {}): Promise<RawAnswer | undefined> {
    for (;;) {
      const parsed = parseAnswer(this.#received, options.hasBody ?? true);
      if (parsed !== undefined) {
        this.#received = this.#received.slice(parsed.length);
        return parsed.answer;
      }
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Collects all answers until the server closes the connection. */
  async rest(): Promise<RawAnswer[]> {
    const answers: RawAnswer[] = [];
    for (let next = await this.answer(); next !== undefined; next = await this.answer()) answers.push(next);
    return answers;
  }

  end(): void {
    this.#socket.destroy();
  }
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return new RawConnection(socket);
}

function parseAnswer(text: string, hasBody: boolean): { answer: RawAnswer; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(first.split(' ')[1]);
  const length = hasBody && status >= 200 ? Number(headers['content-length'] ?? 0) : 0;
  const end = headEnd + 4 + length;
  if (text.length < end) return undefined;
  return { answer: { status, headers, body: text.slice(headEnd + 4, end) }, length: end };
}

/** Builds a request as text. Adds Content-Length only if there is a body and the headers do not set it. */
export function rawRequest(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Buffer,
): string {
  const stated = Object.keys(headers).map((name) => name.toLowerCase());
  const length =
    body === undefined || stated.includes('content-length')
      ? []
      : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(stated.includes('host') ? [] : ['Host: localhost']),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...length,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${typeof body === 'string' ? body : ''}`;
}
