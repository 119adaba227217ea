/** Checks at start that TLS files are readable and valid, and that a key matches its certificate. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Report } from './fault.ts';

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export function checkCertificate(tls: Pair, report: Report): void {
  const at = '/server/tls';
  checkPair(tls, { certificate: `${at}/certificate`, key: `${at}/key`, both: at }, report);
}

/**
 * `at` contains the paths under which faults are reported. A key that does not match is reported at `both`, or at the
 * path of the certificate if `both` is left out.
 */
export function checkPair(files: Pair, at: Pair & { readonly both?: string }, report: Report): void {
  const cert = read(files.certificate, at.certificate, report);
  const key = read(files.key, at.key, report);
  if (cert === null || key === null) return;
  try {
    createSecureContext({ cert, key });
  } catch {
    const fix = 'Give a PEM certificate (with its chain) and the private key that belongs to it.';
    report(at.both ?? at.certificate, 'Certificate and key cannot be used together.', fix);
  }
}

/** Reads the CA certificates that outgoing requests trust in addition to the public CAs. */
export function readAuthorities(
  { ca_file }: { readonly ca_file: string | null },
  folder: string,
  report: Report,
): string | null {
  return ca_file === null ? null : checkAuthority(resolve(folder, ca_file), '/egress/ca_file', report);
}

/** Returns the text of the file, or `null` after reporting a fault. */
export function checkAuthority(file: string, path: string, report: Report): string | null {
  const text = read(file, path, report)?.toString('utf8');
  if (text === undefined) return null;
  try {
    new X509Certificate(text);
    return text;
  } catch {
    report(path, 'The file holds no certificate.', 'Give certificates in PEM form.');
    return null;
  }
}

function read(file: string, path: string, report: Report): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    report(
      path,
      `${file} cannot be read.`,
      'Correct the path, or give this user permission to read the file.',
    );
    return null;
  }
}
