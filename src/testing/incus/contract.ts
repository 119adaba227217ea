/**
 * Runs the contract of the compute port on a real engine. Each engine kind has its own test file, so that the two run
 * in parallel.
 */
import { describe } from 'vitest';
import { describeCompute } from '../../engines/compute/contract.ts';
import { capabilitiesOf } from '../../engines/compute/incus/capabilities.ts';
import { useTestDatabase } from '../database.ts';
import { VPN_IMAGE } from './furnish.ts';
import { openIncus } from './harness.ts';
import { type EngineKind, whyNoIncus, whyNoVpn } from './programs.ts';

export function describeContainers(kind: EngineKind): void {
  const reason = whyNoIncus(kind);
  describe.skipIf(reason !== null)(reason === null ? kind : `${kind}: ${reason}`, () => {
    const database = useTestDatabase();
    const vpn = whyNoVpn(kind) === null;
    const vpnImage = vpn ? VPN_IMAGE : null;
    const capabilities = capabilitiesOf({ instanceType: 'container', vpnImage });
    describeCompute(`${kind}, containers`, capabilities, () => openIncus(database.db, { kind, vpn }));
  });
}
