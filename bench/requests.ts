/**
 * Requests as bytes, with many client addresses: the limit of 200 a minute per address would stop any load at
 * once.
 */
const ADDRESSES = 4000;

export interface Ask {
  readonly path: string;
  readonly key?: string;
  readonly address: string;
  /** With a body, the request is a POST. It must be ASCII. */
  readonly body?: object | undefined;
}

export function writeRequest({ path, key, address, body }: Ask): string {
  const credential = key === undefined ? '' : `X-API-Key: ${key}\r\n`;
  const text = body === undefined ? '' : JSON.stringify(body);
  const method = body === undefined ? 'GET' : 'POST';
  const length =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1\r\nAccept: application/json\r\nX-Forwarded-For: ${address}\r\n${credential}${length}\r\n${text}`;
}

export function addressAt(index: number): string {
  return `198.18.${(index >> 8) & 255}.${index & 255}`;
}

let lists = 0;

/** No address is in two lists: a load would find its limit used up by an earlier one. */
export function fromManyAddresses(ask: (index: number) => Omit<Ask, 'address'>): string[] {
  const first = ADDRESSES * lists++;
  return Array.from({ length: ADDRESSES }, (_, i) =>
    writeRequest({ ...ask(i), address: addressAt(first + i) }),
  );
}
