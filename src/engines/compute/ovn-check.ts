/** Checks that a location with private networks on OVN says how OVN is reached, and that any other does not. */
import { resolve } from 'node:path';
import { checkAuthority, checkPair } from '../../provider/certificate.ts';
import type { Report } from '../../provider/fault.ts';
import { type ComputeSettings, OVN_FILES, OVN_MEMBERS } from './settings.ts';

const fixes = {
  ovn_uplink: 'Name the network of the engine that leads to the internet, such as ovn_uplink: uplink.',
  ovn_northbound: 'Add the address of its database, such as ovn_northbound: ["ssl:10.0.0.5:6641"].',
} as const;

export function checkOvn(compute: ComputeSettings, at: string, folder: string, report: Report): void {
  if (compute.networks !== 'ovn') {
    for (const member of OVN_MEMBERS)
      if (compute[member] !== null) {
        const message = `${member} has no effect, because private networks are bridges here.`;
        report(`${at}/${member}`, message, 'Remove it, or set networks to ovn.');
      }
    return;
  }
  for (const member of ['ovn_uplink', 'ovn_northbound'] as const)
    if (compute[member] === null)
      report(`${at}/${member}`, `${member} is missing: networks is ovn.`, fixes[member]);
  checkFiles(compute, at, folder, report);
}

function checkFiles(compute: ComputeSettings, at: string, folder: string, report: Report): void {
  const {
    ovn_northbound: remotes,
    ovn_certificate: certificate,
    ovn_key: key,
    ovn_authority: authority,
  } = compute;
  const isTls = (remotes ?? []).some((remote) => remote.startsWith('ssl:'));
  for (const member of OVN_FILES) {
    if ((compute[member] !== null) === isTls || remotes === null) continue;
    if (isTls) {
      const message = `${member} is missing: OVN accepts only clients whose certificate its authority has signed.`;
      report(`${at}/${member}`, message, 'Name the file here. You create a pair with: ovs-pki req+sign NAME');
    } else {
      const message = `${member} has no effect: no address of ovn_northbound begins with ssl:.`;
      report(`${at}/${member}`, message, 'Remove it, or write the addresses as ssl:….');
    }
  }
  if (!isTls) return;
  if (certificate !== null && key !== null) {
    const files = { certificate: resolve(folder, certificate), key: resolve(folder, key) };
    checkPair(files, { certificate: `${at}/ovn_certificate`, key: `${at}/ovn_key` }, report);
  }
  if (authority !== null) checkAuthority(resolve(folder, authority), `${at}/ovn_authority`, report);
}
