/**
 * Checks that a location sets the members that its driver needs and none of another driver, and that its
 * certificates are valid.
 */
import { resolve } from 'node:path';
import { checkAuthority, checkPair } from '../../provider/certificate.ts';
import { checkForeign } from '../../provider/driver-members.ts';
import type { Report } from '../../provider/fault.ts';
import { checkOvn } from './ovn-check.ts';
import { CERTIFICATE_MEMBERS, type ComputeSettings, computeDrivers } from './settings.ts';

export function checkCompute(compute: ComputeSettings, at: string, folder: string, report: Report): void {
  checkForeign(compute, at, computeDrivers, report);
  if (compute.driver !== 'incus') return;
  checkIncus(compute, at, folder, report);
  checkOvn(compute, at, folder, report);
}

function checkIncus(compute: ComputeSettings, at: string, folder: string, report: Report): void {
  const { url } = compute;
  if (compute.public_network === null) {
    const fix = 'Add the bridge that public addresses are on, such as public_network: public.';
    report(`${at}/public_network`, 'public_network is missing.', fix);
  }
  if (url === null) {
    const fix = 'Add url: unix:///var/lib/incus/unix.socket, or one such as https://10.0.0.5:8443.';
    report(`${at}/url`, 'url is missing.', fix);
  } else if (url.startsWith('unix:')) {
    for (const member of CERTIFICATE_MEMBERS) {
      if (compute[member] === null) continue;
      const fix = 'Remove it, or set url to the https address of the engine.';
      report(`${at}/${member}`, 'A unix socket needs no certificate.', fix);
    }
  } else checkCertificates(compute, at, folder, report);
  for (const [index, one] of (compute.other_urls ?? []).entries()) {
    if (url === null || schemeOf(one) === schemeOf(url)) continue;
    const fix = `Write it as ${schemeOf(url)}//…, or change url.`;
    report(`${at}/other_urls/${index}`, 'All members of a cluster must be reached in the same way.', fix);
  }
}

const schemeOf = (url: string): string => new URL(url).protocol;

function checkCertificates(compute: ComputeSettings, at: string, folder: string, report: Report): void {
  for (const member of ['client_certificate', 'client_key'] as const) {
    if (compute[member] !== null) continue;
    const message = `${member} is missing: over https the engine accepts only clients whose certificate it trusts.`;
    report(
      `${at}/${member}`,
      message,
      'Name the file here. To create a certificate and its key, run: openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj /CN=hostplane -keyout incus.key -out incus.crt',
    );
  }
  const { client_certificate: certificate, client_key: key, server_certificate: server } = compute;
  if (certificate !== null && key !== null) {
    const files = { certificate: resolve(folder, certificate), key: resolve(folder, key) };
    checkPair(files, { certificate: `${at}/client_certificate`, key: `${at}/client_key` }, report);
  }
  if (server !== null) checkAuthority(resolve(folder, server), `${at}/server_certificate`, report);
}
