import { exampleId, exampleOf } from '../../../kernel/examples.ts';
import { during } from '../../../kernel/operations/example.ts';
import { applyFirewallKind } from './kinds.ts';
import { Firewall, FirewallAttachment, FirewallRule, type NewFirewall } from './schema.ts';

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

export const firewallExample = exampleOf(Firewall, {
  name: 'web',
  default_in: 'drop',
  rules: [
    exampleOf(FirewallRule, {
      direction: 'in',
      protocol: 'tcp',
      ports: ['22'],
      remote_cidrs: ['203.0.113.0/24'],
      enabled: true,
      description: 'SSH from the office',
    }),
  ],
  attachments: [exampleOf(FirewallAttachment, { target: { type: 'vm', id: exampleId('vm') }, vm_count: 1 })],
  vm_count: 1,
  applied_at: '2026-03-01T10:00:00.000Z',
});

export const applyingExample = during(applyFirewallKind, firewallExample, { status: 'applying' });
