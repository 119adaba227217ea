/** A server on loopback with a small ISO, from which tests and laws import it. */
import { Egress } from '../kernel/net/egress.ts';
import type { TestApp } from './app.ts';
import { createReceiver, type Receiver, receiverCertificate } from './receiver.ts';

const SECTOR = 2048;

/** The smallest disc that counts as ISO 9660: one descriptor, with the name of the disc. */
export function tinyIso(title = 'TINY'): Buffer {
  const bytes = Buffer.alloc(18 * SECTOR);
  bytes.write('\x01CD001\x01', 16 * SECTOR, 'latin1');
  bytes.write(title.padEnd(32), 16 * SECTOR + 40, 'latin1');
  bytes.write('\xffCD001\x01', 17 * SECTOR, 'latin1');
  return bytes;
}

let server: Promise<Receiver> | undefined;
/** One for all apps: to create it means to read all root certificates, which takes longer than the rest of an import. */
let egress: Egress | undefined;

/** Lets the app call addresses on loopback, and returns the address of the ISO. */
export async function isoUrlFor({
  services,
  running,
}: Pick<TestApp, 'services' | 'running'>): Promise<string> {
  server ??= createReceiver();
  const { port, answer } = await server;
  answer((response) => void response.writeHead(200).end(tinyIso()));
  egress ??= new Egress({ allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate });
  // The steps of a worker have services of their own.
  for (const each of [services, running.current()]) Object.assign(each, { egress });
  return `https://localhost:${port}/tiny.iso`;
}
