/** Checks whether the engine answers and whether it grants full access. */
import { X509Certificate } from 'node:crypto';
import type { Examination } from '../../../../kernel/registry.ts';
import { EngineUnreachable } from '../../../errors.ts';
import { Client } from '../client.ts';
import type { Server } from '../driver-context.ts';
import { IncusError } from '../failure.ts';
import type { IncusSettings } from '../settings.ts';
import { cliOf, type Sold, wrong } from './context.ts';

/** Node's error codes for a certificate from an unknown authority, for another host, or out of date. */
const DISBELIEF = /SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME/;

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return '';
}

/** The message with its cause, which customers do not see. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message.replace(/\.$/, '')}: ${cause.message}` : message;
}

/** Tells the operator how to make the engine reachable. */
export function mendReaching(url: string, error: unknown): string {
  const code = codeOf(error);
  if (url.startsWith('unix:')) {
    if (code === 'EACCES')
      return 'Give the user that Hostplane runs as access to the socket, then restart Hostplane: usermod -aG incus-admin hostplane (LXD: the group lxd).';
    return 'Start the engine: systemctl start incus; or correct url (ls -l /var/lib/incus/unix.socket).';
  }
  const { host, hostname, port } = new URL(url);
  if (DISBELIEF.test(code)) {
    const fetched = `openssl s_client -connect ${port === '' ? `${host}:443` : host} </dev/null 2>/dev/null | openssl x509 -out incus-server.crt`;
    return `Fetch its certificate, compare its fingerprint with what incus info says on the server, and set server_certificate to its path: ${fetched}`;
  }
  return `On the server: incus config set core.https_address :${port || 443}; and let this machine through to ${hostname} in the firewall.`;
}

/** The driver uses the first address that answers, so a fault of another address would stay unnoticed. */
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

/**
 * A trusted certificate may still be restricted to some projects, but the driver creates a project for each account.
 */
async function isConfined(client: Client, certificate: string): Promise<boolean> {
  try {
    const path = `/1.0/certificates/${fingerprintOf(certificate)}`;
    return (await client.ask<{ restricted: boolean }>('GET', path)).restricted;
  } catch (error) {
    // A certificate signed by the engine's own authority is trusted without being listed.
    if (error instanceof IncusError) return error.status === 403;
    throw error;
  }
}

/** Returns null if the driver has full access. */
export async function findAccessFault(
  client: Client,
  { address }: IncusSettings,
  sold: Sold,
  server: Server,
): Promise<Examination | null> {
  const file = sold.certificateFile ?? 'incus.crt';
  if (server.auth !== 'trusted') {
    // An untrusted client cannot read whether the engine is Incus or LXD, so the fix names both commands.
    const fix = `On the server: incus config trust add-certificate ${file} (LXD: lxc config trust add ${file}).`;
    return wrong(sold, 'engine', 'The engine answers, but does not trust our certificate.', fix);
  }
  const certificate = address.credentials?.certificate;
  if (certificate === undefined || !(await isConfined(client, certificate))) return null;
  const short = fingerprintOf(certificate).slice(0, 12);
  const fix = `On the server: ${cliOf(server)} config trust edit ${short}, and set restricted to false.`;
  return wrong(sold, 'engine', 'Our certificate is confined to some projects of the engine.', fix);
}
