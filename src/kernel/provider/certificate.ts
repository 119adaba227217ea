/** The TLS files exist, can be read and belong together: better found now than by the first client. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Report } from './fault.ts';

export function checkCertificate(tls: { certificate: string; key: string }, report: Report): void {
  const cert = read(tls.certificate, '/server/tls/certificate', report);
  const key = read(tls.key, '/server/tls/key', report);
  if (cert === null || key === null) return;
  try {
    createSecureContext({ cert, key });
  } catch {
    const fix = 'Give a PEM certificate (with its chain) and the private key that belongs to it.';
    report('/server/tls', 'Certificate and key cannot be used together.', fix);
  }
}

/** Authorities that receivers of our calls may be certified by, beside the public ones. */
export function readAuthorities(
  { ca_file }: { readonly ca_file: string | null },
  folder: string,
  report: Report,
): string | null {
  if (ca_file === null) return null;
  const path = '/egress/ca_file';
  const text = read(resolve(folder, ca_file), path, report)?.toString('utf8');
  if (text === undefined) return null;
  try {
    new X509Certificate(text);
    return text;
  } catch {
    report(path, 'The file holds no certificate.', 'Give the certificates of your authorities in PEM form.');
    return null;
  }
}

function read(file: string, path: string, report: Report): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    report(path, `${file} cannot be read.`, 'Correct the path, or let this user read the file.');
    return null;
  }
}
