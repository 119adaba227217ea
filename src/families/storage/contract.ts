import type { FamilyContract } from '../../contract/form.ts';

export const storageContract = {
  name: 'storage',
  meaning: 'Object storage: buckets and their access keys.',
  endpoints: 14,
  planned: {
    regions: ['read'],
    buckets: ['read', 'write', 'delete'],
    'bucket-policies': ['write'],
    'bucket-cors': ['write'],
    'bucket-lifecycles': ['write'],
    usage: ['read'],
    'access-keys': ['read', 'write', 'delete'],
  },
  presets: {
    'object-storage': {
      title: 'Object storage',
      description: 'Full access to object storage.',
      patterns: ['storage:*:*'],
    },
  },
} as const satisfies FamilyContract;
