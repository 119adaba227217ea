/** Opens the connections of a location: to its server, and to the database of OVN if it has one. */
import type { Capabilities } from '../capabilities.ts';
import { bridgeNetworks } from './bridge-networks.ts';
import { Client } from './client.ts';
import type { Site } from './driver-context.ts';
import type { IncusOptions } from './options.ts';
import { ovnNetworks } from './ovn/networks.ts';
import { Northbound } from './ovn/northbound.ts';

export function openSite(
  { location, settings, ledger, logs }: Pick<IncusOptions, 'location' | 'settings' | 'ledger' | 'logs'>,
  capabilities: Capabilities,
  readServer: Site['readServer'],
): Site {
  const { ovn } = settings;
  const northbound = ovn && new Northbound(ovn.northbound);
  return {
    location,
    client: new Client(settings.address),
    settings,
    ledger,
    logs,
    networks: ovn && northbound ? ovnNetworks(ovn.uplink, northbound) : bridgeNetworks,
    northbound,
    capabilities,
    readServer,
  };
}
