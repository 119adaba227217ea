import type { FamilyContract } from '../../contract/form.ts';

export const datacenterContract = {
  name: 'datacenter',
  meaning: 'Racks, power, cross connects and remote hands in a data centre.',
  endpoints: 20,
  planned: {
    sites: ['read'],
    racks: ['read'],
    readings: ['read'],
    assets: ['read', 'write'],
    'cross-connects': ['read', 'write', 'delete'],
    requests: ['read', 'write'],
    'remote-hands': ['write'],
    visits: ['write'],
    shipments: ['write'],
    notices: ['read'],
    'network-status': ['read'],
  },
} as const satisfies FamilyContract;
