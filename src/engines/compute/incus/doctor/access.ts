/** Whether the engine answers, and lets us do everything. */
import { X509Certificate } from 'node:crypto';
import type { Examination } from '../../../../kernel/registry.ts';
import { EngineUnreachable } from '../../../errors.ts';
import { Client } from '../client.ts';
import { IncusError } from '../failure.ts';
import type { IncusSettings } from '../settings.ts';
import type { Server } from '../site.ts';
import { cliOf, type Sold, wrong } from './place.ts';

/** What Node calls a certificate that no authority it knows has signed, that is another one, or that is out of date. */
const DISBELIEF = /SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME/;

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return '';
}

/** With what customers are not told. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message.replace(/\.$/, '')}: ${cause.message}` : message;
}

/** How somebody who gets no answer comes to one. */
export function mendReaching(url: string, error: unknown): string {
  const code = codeOf(error);
  if (url.startsWith('unix:')) {
    if (code === 'EACCES')
      return 'Let the user that Hostplane runs as in, and start it anew: usermod -aG incus-admin hostplane (LXD: the group lxd).';
    return 'Start it: systemctl start incus; or correct url (ls -l /var/lib/incus/unix.socket).';
  }
  const { host, hostname, port } = new URL(url);
  if (DISBELIEF.test(code)) {
    const fetched = `openssl s_client -connect ${port === '' ? `${host}:443` : host} </dev/null 2>/dev/null | openssl x509 -out incus-server.crt`;
    return `Fetch its certificate, compare its fingerprint with what incus info says on the server, and name it in server_certificate: ${fetched}`;
  }
  return `On the server: incus config set core.https_address :${port || 443}; and let this machine through to ${hostname} in the firewall.`;
}

/** A cluster has several doors, and whoever finds the first one open never learns that another is shut. */
export async function examineDoors({ address }: IncusSettings, sold: Sold): Promise<Examination[]> {
  for (const url of address.others ?? []) {
    const client = new Client({ ...address, url, others: [] });
    try {
      await client.ask('GET', '/1.0');
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      return [wrong(sold, 'doors', `${url}: ${reasonOf(error)}`, mendReaching(url, error))];
    } finally {
      client.close();
    }
  }
  return [];
}

function fingerprintOf(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
}

/** A certificate may be known and still be confined to some projects; we make a project for each account. */
async function isConfined(client: Client, certificate: string): Promise<boolean> {
  try {
    const path = `/1.0/certificates/${fingerprintOf(certificate)}`;
    return (await client.ask<{ restricted: boolean }>('GET', path)).restricted;
  } catch (error) {
    // Signed by the authority of the engine, it is let in without being listed.
    if (error instanceof IncusError) return error.status === 403;
    throw error;
  }
}

/** `null`: we may do everything. */
export async function findAccessFault(
  client: Client,
  { address }: IncusSettings,
  sold: Sold,
  server: Server,
): Promise<Examination | null> {
  const file = sold.certificateFile ?? 'incus.crt';
  if (server.auth !== 'trusted') {
    // Who is not trusted is not told which of the two it is.
    const fix = `On the server: incus config trust add-certificate ${file} (LXD: lxc config trust add ${file}).`;
    return wrong(sold, 'engine', 'It answers, but does not trust our certificate.', fix);
  }
  const certificate = address.credentials?.certificate;
  if (certificate === undefined || !(await isConfined(client, certificate))) return null;
  const short = fingerprintOf(certificate).slice(0, 12);
  const fix = `On the server: ${cliOf(server)} config trust edit ${short}, and set restricted to false.`;
  return wrong(sold, 'engine', 'Our certificate is confined to some projects of it.', fix);
}
