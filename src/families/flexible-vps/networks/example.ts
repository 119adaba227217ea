import { exampleOf } from '../../../kernel/examples.ts';
import { Network, type NewNetwork } from './schema.ts';

export const newNetworkExample: NewNetwork = {
  name: 'backend',
  location: 'fra1',
  ipv4_cidr: '10.10.0.0/24',
  labels: { env: 'prod' },
};

export const networkExample = exampleOf(Network, {
  name: 'backend',
  location: 'fra1',
  ipv4_cidr: '10.10.0.0/24',
  ipv4_gateway: '10.10.0.1',
  ipv6_cidr: 'fd3f:91c2:77a0:1b::/64',
  nat: { ipv4: true, ipv6: false },
  mtu: 1442,
  addresses: { ipv4_total: 252, ipv4_used: 1 },
});
