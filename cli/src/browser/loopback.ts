/** A small server on this computer, to which the browser brings the code. Others cannot reach it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';

export interface Loopback {
  readonly port: number;
  /** The code that the browser brings; rejects if the person refused. */
  readonly code: Promise<string>;
  close(): void;
}

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/**
 * Only a request with the right `state` counts, and only the first: any page in the browser could send others here.
 * The code alone is worth nothing without the secret of the process that listens.
 */
export async function listenForCode(state: string): Promise<Loopback> {
  const { promise, resolve, reject } = withResolvers<string>();
  // It is awaited later, and may fail before.
  promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const code = searchParams.get('code');
    const isRefused = searchParams.get('error') === 'refused';
    const isOurs = pathname === '/' && request.method === 'GET' && searchParams.get('state') === state;
    if (!isOurs || (code === null && !isRefused)) {
      response.writeHead(404, HEADERS).end(page('Nothing here', 'Run hostplane login again.'));
      return;
    }
    const text = isRefused ? 'The login was refused.' : 'Go on in your terminal.';
    response.once('close', () => server.close());
    // The program may end at once when it knows the answer, so the page is sent first.
    response.writeHead(200, HEADERS).end(page('You can close this window', text), () => {
      if (code !== null) resolve(code);
      else reject(new Failure('You refused the login in the browser.', exitCodes.notAllowed));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  return {
    port: (server.address() as AddressInfo).port,
    code: promise,
    close() {
      server.close();
      // The page that says so is still on its way; other connections are not waited for.
      server.closeIdleConnections();
      server.unref();
    },
  };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
