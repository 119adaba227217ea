/** The priced types of Flexible VPS. Types that only group, connect or configure machines are free. */
import { freeType } from '../../money/prices/free-type.ts';
import type { PricedTypes } from '../../money/prices/priced-type.ts';
import { backup, image, iso, snapshot, volume } from './prices/disks.ts';
import { vm } from './prices/vm.ts';
import { vpnGateway } from './prices/vpn-gateway.ts';

const family = 'flexible-vps';

export const flexibleVpsPrices: PricedTypes = {
  vm,
  volume,
  image,
  iso,
  backup,
  snapshot,
  vpn_gateway: vpnGateway,
  network: freeType({
    family,
    sku: 'free.network',
    name: 'Private network',
    limit: 'flexible-vps.networks',
  }),
  firewall: freeType({
    family,
    sku: 'free.firewall',
    name: 'Firewall',
    limit: 'flexible-vps.firewalls',
  }),
  backup_policy: freeType({
    family,
    sku: 'free.backup-policy',
    name: 'Backup policy',
    limit: 'flexible-vps.backup-policies',
  }),
  placement_group: freeType({
    family,
    sku: 'free.placement-group',
    name: 'Placement group',
    limit: 'flexible-vps.placement-groups',
  }),
  ssh_key: freeType({
    family,
    sku: 'free.ssh-key',
    name: 'SSH key',
    limit: 'flexible-vps.ssh-keys',
  }),
};
