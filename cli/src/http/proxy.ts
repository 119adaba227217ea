/** Reaches https servers through the proxy that HTTPS_PROXY names, except those in NO_PROXY. */
import type { AgentOptions, Agent as HttpsAgent } from 'node:https';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { Environment } from '../io.ts';
import { ConnectionFailure } from './connection-failure.ts';

const CONNECT_MS = 30_000;

/** The hosts of NO_PROXY: `example.com` and `.example.com` mean the name and all below it, `*` everything. */
function isDirect(env: Environment, { hostname, port }: URL): boolean {
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  return list
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '')
    .some((each) => {
      if (each === '*') return true;
      const plain = each.replace(/^\*?\./, '');
      const [, name = plain, only] = /^(\[.*\]|[^:]+)(?::(\d+))?$/.exec(plain) ?? [];
      if (only !== undefined && only !== (port || '443')) return false;
      return hostname === name || hostname === `[${name}]` || hostname.endsWith(`.${name}`);
    });
}

/** The proxy for an address; null if it is reached directly. */
export function proxyFor(url: string, env: Environment): URL | null {
  const target = new URL(url);
  const text = env['https_proxy'] || env['HTTPS_PROXY'] || '';
  if (target.protocol !== 'https:' || text === '' || isDirect(env, target)) return null;
  const address = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : null;
  if (proxy === null || !['http:', 'https:'].includes(proxy.protocol))
    throw new ConnectionFailure(
      'HTTPS_PROXY is no address of an HTTP proxy. It looks like this: http://proxy.example:3128',
      false,
    );
  return proxy;
}

/** An agent whose connections are tunnels through the proxy. The proxy sees the name of the server, nothing else. */
export async function tunnelAgent(proxy: URL, options: AgentOptions): Promise<HttpsAgent> {
  const { Agent, request: requestSecurely } = await import('node:https');
  const { request } = await import('node:http');
  const { connect } = await import('node:tls');
  const ask = proxy.protocol === 'https:' ? requestSecurely : request;
  const agent = new Agent(options);
  type Done = (error: Error | null, socket?: TLSSocket) => void;
  const createConnection = (to: ConnectionOptions, done: Done): void => {
    const fail = (why: string): void =>
      done(
        new ConnectionFailure(
          `The proxy ${proxy.host} ${why}. Check HTTPS_PROXY; NO_PROXY names hosts that need no proxy.`,
          false,
        ),
      );
    const place = `${to.host?.includes(':') ? `[${to.host}]` : to.host}:${to.port ?? 443}`;
    const user = decodeURIComponent(`${proxy.username}:${proxy.password}`);
    const login = proxy.username === '' ? {} : { 'proxy-authorization': `Basic ${btoa(user)}` };
    const sent = ask(proxy, {
      method: 'CONNECT',
      path: place,
      agent: false,
      timeout: CONNECT_MS,
      headers: { host: place, ...login },
    });
    sent.once('connect', (answer, socket) => {
      if (answer.statusCode === 200) return done(null, connect({ ...to, socket }));
      socket.destroy();
      return fail(`refused the connection to ${place} (${answer.statusCode})`);
    });
    sent.once('response', (answer) => {
      answer.destroy();
      fail(`does not tunnel (${answer.statusCode})`);
    });
    sent.once('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    sent.once('error', (error: NodeJS.ErrnoException) =>
      fail(`does not answer (${error.code ?? error.message})`),
    );
    sent.end();
  };
  return Object.assign(agent, { createConnection });
}
