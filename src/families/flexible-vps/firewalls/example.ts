import { exampleOperation } from '../operation-example.ts';
import type { Firewall, NewFirewall } from './schema.ts';

const AT = '2026-03-01T10:00:00.000Z';

export const newRuleExample = {
  direction: 'in',
  action: 'allow',
  protocol: 'tcp',
  ports: ['443'],
  description: 'Web',
} as const;

export const newFirewallExample: NewFirewall = {
  name: 'web',
  rules: [
    {
      direction: 'in',
      action: 'allow',
      protocol: 'tcp',
      ports: ['22'],
      remote_cidrs: ['203.0.113.0/24'],
      description: 'SSH from the office',
    },
  ],
  labels: { env: 'prod' },
};

export const firewallExample: Firewall = {
  id: 'fw_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'web',
  description: '',
  labels: { env: 'prod' },
  status: 'active',
  status_reason: null,
  operation: null,
  default_in: 'drop',
  default_out: 'allow',
  rules: [
    {
      id: 'fwr_01jqzv2m7xe9rs5d3k8w4t6y0b',
      direction: 'in',
      action: 'allow',
      protocol: 'tcp',
      ports: ['22'],
      remote_cidrs: ['203.0.113.0/24'],
      remote_firewall_ids: [],
      icmp_type: null,
      enabled: true,
      description: 'SSH from the office',
    },
  ],
  attachments: [
    {
      id: 'fwa_01jqzv2m7xe9rs5d3k8w4t6y0b',
      target: { type: 'vm', id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b' },
      vm_count: 1,
      created_at: AT,
    },
  ],
  vm_count: 1,
  applied_at: AT,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: AT,
  updated_at: AT,
};

export const applyingExample: Firewall = {
  ...firewallExample,
  status: 'applying',
  operation: exampleOperation('firewall.apply', firewallExample),
};
