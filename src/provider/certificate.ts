/** The TLS files exist, can be read and belong together: better found now than by the first client. */
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

/** `at` is where each is named; `both` where it is told that they do not fit, left out: with the certificate. */
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

/** Authorities that receivers of our calls may be certified by, beside the public ones. */
export function readAuthorities(
  { ca_file }: { readonly ca_file: string | null },
  folder: string,
  report: Report,
): string | null {
  return ca_file === null ? null : checkAuthority(resolve(folder, ca_file), '/egress/ca_file', report);
}

/** What the file holds; `null` once a fault is told. */
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
    report(path, `${file} cannot be read.`, 'Correct the path, or let this user read the file.');
    return null;
  }
}
