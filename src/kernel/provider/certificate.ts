/** The TLS files exist, can be read and belong together: better found now than by the first client. */
import { readFileSync } from 'node:fs';
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

function read(file: string, path: string, report: Report): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    report(path, `${file} cannot be read.`, 'Correct the path, or let this user read the file.');
    return null;
  }
}
