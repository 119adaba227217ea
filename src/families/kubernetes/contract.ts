import type { FamilyContract } from '../../contract/form.ts';

export const kubernetesContract = {
  name: 'kubernetes',
  meaning: 'Managed Kubernetes clusters and their node pools.',
  endpoints: 27,
  planned: {
    options: ['read'],
    clusters: ['read', 'write', 'delete'],
    kubeconfigs: ['write'],
    'credential-rotations': ['write'],
    events: ['read'],
    upgrades: ['read', 'write', 'delete'],
    'node-pools': ['read', 'write', 'delete'],
    nodes: ['read', 'write', 'delete'],
    addons: ['read', 'write'],
  },
  presets: {
    'kubernetes-admin': {
      title: 'Kubernetes admin',
      description: 'Full access to Kubernetes.',
      patterns: ['kubernetes:*:*'],
    },
  },
} as const satisfies FamilyContract;
