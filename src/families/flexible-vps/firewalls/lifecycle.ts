import { Lifecycle } from '../../../kernel/lifecycle.ts';

const states = {
  active: 'All rules are in force.',
  applying: 'A change is being applied. Until it is in force, the previous rules are.',
  error: 'The last change is not in force, but the rules before it; `status_reason` says why.',
  deleting: 'The firewall is being deleted.',
} as const;
export type FirewallStatus = keyof typeof states;

/** A change while another is being applied waits for its turn. */
const changeable = ['active', 'applying', 'error'] as const;

export const firewallLife = new Lifecycle<FirewallStatus>({
  resource: 'firewall',
  table: 'firewalls',
  states,
  transitional: ['applying', 'deleting'],
  transitions: [
    { by: ['createVpsFirewall'], from: null, to: ['active'] },
    {
      by: [
        'updateVpsFirewall',
        'addVpsFirewallRule',
        'removeVpsFirewallRule',
        'attachVpsFirewall',
        'detachVpsFirewall',
      ],
      from: changeable,
      through: 'applying',
      to: ['active', 'error'],
    },
    {
      by: ['deleteVpsFirewall'],
      from: [...changeable, 'deleting'],
      through: 'deleting',
      to: [null, 'active', 'error'],
    },
    // Also labels of machines that change.
    { by: ['engine'], from: ['active', 'error'], through: 'applying', to: ['active', 'error'] },
  ],
});
