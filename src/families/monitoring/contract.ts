import type { FamilyContract } from '../../contract/form.ts';

export const monitoringContract = {
  name: 'monitoring',
  meaning: 'Checks, alerts and metrics.',
  endpoints: 9,
  planned: {
    metrics: ['read'],
    monitors: ['read', 'write', 'delete'],
    alerts: ['read'],
    'notification-channels': ['read', 'write', 'delete'],
  },
  presets: {
    monitoring: {
      title: 'Monitoring',
      description: 'Full access to monitoring, read access to the monitored products.',
      patterns: ['monitoring:*:*'],
      readsProducts: true,
    },
  },
} as const satisfies FamilyContract;
