import { view } from '../../../resources/records/records.ts';
import { vpnGateways } from './resource.ts';
import { exampleGateway, VpnGateway } from './schema.ts';
import { gatewayParts } from './store.ts';

/** The database writes addresses with the length of their prefix. */
export const plainAddress = (inet: string): string => inet.split('/')[0] ?? inet;

export const gatewayView = view(vpnGateways, {
  schema: VpnGateway,
  example: exampleGateway,
  more: gatewayParts,
  compute: (row) => ({
    endpoint: {
      ipv4: plainAddress(row.endpoint_ipv4),
      ipv6: row.endpoint_ipv6 === null ? null : plainAddress(row.endpoint_ipv6),
      port: row.port,
    },
    protection: { delete: row.protected },
  }),
});
