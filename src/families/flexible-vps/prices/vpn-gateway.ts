/** A VPN gateway costs by the hour, and its outgoing traffic by the gigabyte. */
import { Shape, Slug } from '../../../kernel/schema.ts';
import { count } from '../../../money/prices/bill.ts';
import { IDENTITY, pricedType } from '../../../money/prices/priced-type.ts';
import { gatewaySales } from './sales.ts';

export const TRAFFIC_SKU = 'vpn.traffic-out';

export const vpnGateway = pricedType({
  family: 'flexible-vps',
  place: 'location',
  configuration: Shape({ location: Slug }),
  ignored: [...IDENTITY, 'network_ids', 'port', 'tunnel_ipv4_cidr', 'ipv6', 'dns_servers'],
  usage: ['traffic_out_gb'],
  sales: gatewaySales,
  draw(configuration, bill) {
    const location = bill.location(configuration.location, '/location');
    if (!location) return;
    if (!location.features.includes('vpn')) {
      bill.unavailable(`VPN gateways are not sold in ${location.slug}.`, '/location');
    }
    bill.charge('vpn.gateway', location.slug, {
      description: `VPN gateway, ${location.slug}`,
      each: count(1),
    });
    const what = { noun: 'Outgoing traffic', unit: 'GB' };
    bill.chargeUsage('traffic_out_gb', TRAFFIC_SKU, location.slug, what);
    bill.demand('flexible-vps.vpn-gateways', 1);
  },
});
