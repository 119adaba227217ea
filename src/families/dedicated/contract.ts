import type { FamilyContract } from '../../contract/form.ts';

export const dedicatedContract = {
  name: 'dedicated',
  meaning: 'Dedicated servers.',
  endpoints: 25,
  planned: {
    servers: ['read', 'write'],
    power: ['write'],
    reinstalls: ['read', 'write', 'delete'],
    rescue: ['write', 'delete'],
    console: ['write'],
    ips: ['read', 'write'],
    traffic: ['read'],
    uplinks: ['read', 'write'],
    cancellations: ['read', 'write', 'delete'],
    catalogue: ['read'],
    orders: ['read', 'write'],
  },
  addsToPresets: { 'power-operator': ['dedicated:servers:read', 'dedicated:power:write'] },
  developersDoNotWrite: ['orders', 'cancellations'],
} as const satisfies FamilyContract;
