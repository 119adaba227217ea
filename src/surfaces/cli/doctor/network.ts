/** Checks of the listening port and of the TLS certificate. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { createServer } from 'node:net';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { type Finding, failed, ok, reasonOf, skipped } from './check.ts';

type Server = Pick<ProviderConfig['server'], 'host' | 'port' | 'tls'>;

/** Resolves with the error code, or with null if the port is free. */
function tryListening({ host, port }: Server): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

function reach({ host, port, tls }: Server): Promise<string> {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const options = { host: shown, port, path: '/healthz', timeout: 2000, agent: false };
  return new Promise((resolve) => {
    // The certificate is not verified, because this request sends nothing secret.
    const asking = tls ? requestTls({ ...options, rejectUnauthorized: false }) : requestPlain(options);
    asking.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk.slice(0, 200);
      });
      response.on('end', () => resolve(text)).on('error', () => resolve(''));
    });
    asking.on('error', () => resolve('')).on('timeout', () => asking.destroy());
    asking.end();
  });
}

export async function checkPort(server: Server): Promise<Finding> {
  const { host, port } = server;
  const name = 'Port';
  const place = `${port} on ${host}`;
  if (port === 0) return skipped(name, 'the system chooses one at each start');
  const code = await tryListening(server);
  switch (code) {
    case null:
      return ok(name, `${place} is free`);
    case 'EADDRINUSE':
      if ((await reach(server)) === '{"status":"ok"}') return ok(name, `Hostplane answers at ${place}`);
      return failed(
        name,
        `${place} is taken by another program.`,
        'Stop that program, or choose another port with HOSTPLANE_PORT.',
      );
    case 'EACCES':
      return failed(
        name,
        `${place} may not be used by this user.`,
        'Choose a port above 1023, or grant CAP_NET_BIND_SERVICE.',
      );
    default:
      return failed(
        name,
        `${place} cannot be used (${code}).`,
        'Correct server.host: it must be an address of this machine.',
      );
  }
}

const DAY_MS = 86_400_000;
/** Automatic renewal happens long before this, so a certificate with fewer days left is a fault. */
const RENEWAL_DAYS = 7;

export async function checkTls(tls: Server['tls'], now: Date = new Date()): Promise<Finding> {
  const name = 'TLS';
  if (tls === null) return skipped(name, 'not configured; plain HTTP');
  try {
    const { validFrom, validTo } = new X509Certificate(await readFile(tls.certificate));
    await readFile(tls.key);
    const days = Math.floor((Date.parse(validTo) - now.getTime()) / DAY_MS);
    if (Date.parse(validFrom) > now.getTime()) {
      return failed(
        name,
        `The certificate is valid only from ${validFrom}.`,
        'Check the clock, or use a certificate that is valid now.',
      );
    }
    if (days >= RENEWAL_DAYS) return ok(name, `the certificate is valid for ${days} more days`);
    const fix = `Renew it, put it at ${tls.certificate} and restart.`;
    const isOver = Date.parse(validTo) <= now.getTime();
    return failed(name, `The certificate ${isOver ? 'expired' : 'expires'} on ${validTo}.`, fix);
  } catch (error) {
    return failed(name, reasonOf(error), 'Set server.tls to PEM files that this user can read.');
  }
}
