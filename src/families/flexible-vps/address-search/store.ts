import { sql } from 'kysely';
import type { AddressSearch } from '../../../resources/addresses/search/asked.ts';
import { findPublicAddresses, isAt } from '../../../resources/addresses/search/store.ts';

/** A network by its ranges. */
const findNetworks: AddressSearch = (accountId, asked) => sql`
  select n.id from vps_networks n
  where n.account_id = ${accountId}
    and (${isAt(sql`n.ipv4_cidr`, asked)} or ${isAt(sql`n.ipv6_cidr`, asked)})`;

/** Who has an address in a network: a machine or a VPN gateway. */
const findMembers: AddressSearch = (accountId, asked) => sql`
  select coalesce(i.vm_id, a.gateway_id) as id from vps_networks n
  join network_addresses a on a.network_id = n.id
  left join vm_interfaces i on i.id = a.interface_id
  where n.account_id = ${accountId} and ${isAt(sql`a.address`, asked)}`;

/** A VPN gateway by the range of its tunnels, or the public address to which they lead. */
const findGateways: AddressSearch = (accountId, asked) => sql`
  select g.id from vpn_gateways g
  where g.account_id = ${accountId}
    and (${isAt(sql`g.tunnel_ipv4_cidr`, asked)} or ${isAt(sql`g.tunnel_ipv6_cidr`, asked)}
      or ${isAt(sql`g.endpoint_ipv4`, asked)} or ${isAt(sql`g.endpoint_ipv6`, asked)})`;

export const addressSearches: readonly AddressSearch[] = [
  findPublicAddresses,
  findNetworks,
  findMembers,
  findGateways,
];
