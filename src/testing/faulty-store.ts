/** An HTTP proxy in front of a store of objects that fails on request: it refuses, cuts connections, or stops reading. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type StoreFault =
  /** Answers with this status, and the code in the body as S3 does. */
  | { readonly status: number; readonly code: string }
  /** Closes the connection after this many bytes of the request's body. */
  | { readonly cutAfter: number }
  /** Closes the connection after this many bytes of the answer's body. */
  | { readonly cutAnswerAfter: number }
  /** Sends this many bytes of the answer's body, and then nothing more. */
  | { readonly stallAnswerAfter: number }
  /** Never answers. */
  | 'silent';

export interface FaultyStore {
  readonly endpoint: string;
  /** The requests that came in, as `PUT /bucket/key`, whatever became of them. */
  readonly seen: string[];
  /** Decides for each request whether it fails. */
  faultOf: (method: string, path: string) => StoreFault | null;
  close(): Promise<void>;
}

interface Limits {
  readonly cutAfter?: number;
  readonly stallAfter?: number;
}

function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { cutAfter = Infinity, stallAfter = Infinity }: Limits = {},
) {
  const { method, headers, url = '/' } = incoming;
  const onward = request(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    let passed = 0;
    answer.on('data', (bytes: Buffer) => {
      passed += bytes.length;
      if (passed > cutAfter) outgoing.destroy();
      else if (passed <= stallAfter) outgoing.write(bytes);
    });
    answer.on('end', () => {
      if (passed <= stallAfter) outgoing.end();
    });
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/** With `tls`, the proxy speaks TLS. */
export async function openFaultyStore(
  target: string,
  tls?: { readonly cert: string; readonly key: string },
): Promise<FaultyStore> {
  const seen: string[] = [];
  const store = { faultOf: (): StoreFault | null => null } as Pick<FaultyStore, 'faultOf'>;
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = '', url = '' } = incoming;
    seen.push(`${method} ${url}`);
    const fault = store.faultOf(method, url);
    if (fault === 'silent') return;
    if (fault === null) forward(target, incoming, outgoing);
    else if ('cutAnswerAfter' in fault)
      forward(target, incoming, outgoing, { cutAfter: fault.cutAnswerAfter });
    else if ('stallAnswerAfter' in fault)
      forward(target, incoming, outgoing, { stallAfter: fault.stallAnswerAfter });
    else if ('status' in fault) {
      incoming.resume();
      outgoing.writeHead(fault.status).end(`<Error><Code>${fault.code}</Code></Error>`);
    } else {
      let taken = 0;
      incoming.on('data', (bytes: Buffer) => {
        taken += bytes.length;
        if (taken > fault.cutAfter) incoming.destroy();
      });
    }
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(store, {
    endpoint: `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
