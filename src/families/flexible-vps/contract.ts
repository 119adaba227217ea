import type { FamilyContract } from '../../contract/form.ts';

const deployNouns = ['vms', 'snapshots', 'images', 'networks', 'firewalls', 'volumes', 'ssh-keys'];

export const flexibleVpsContract = {
  name: 'flexible-vps',
  meaning: 'Virtual machines with their images, snapshots, networks, SSH keys and placement groups.',
  endpoints: 88,
  problems: {
    vm_not_stopped: {
      status: 409,
      title: 'Machine is not stopped',
      when: 'The machine must be stopped for this call.',
      next_step:
        'Stop the machine with the action shutdown, or with power_off if the guest does not react, then repeat the call.',
      extra: ['current_state', 'allowed_states'],
    },
    vm_not_running: {
      status: 409,
      title: 'Machine is not running',
      when: 'The machine must be running for this call.',
      next_step: 'Start the machine with the action power_on, then repeat the call.',
      extra: ['current_state', 'allowed_states'],
    },
    vm_in_rescue: {
      status: 409,
      title: 'Machine is in rescue mode',
      when: 'The machine is in rescue mode, which does not allow this call.',
      next_step:
        'Leave rescue mode with POST /flexible-vps/v1/vms/{id}/rescue and `enabled` false (also `restart` false if a stopped machine must stay stopped), then repeat the call.',
      extra: ['current_state'],
    },
    vm_has_snapshots: {
      status: 409,
      title: 'Machine has snapshots',
      when: 'The call would delete the snapshots of the machine.',
      next_step:
        'Create an image from each snapshot in snapshot_ids that you want to keep, then repeat the call with delete_snapshots true, which deletes all of them.',
      extra: ['snapshot_ids'],
    },
    newer_snapshots_exist: {
      status: 409,
      title: 'Newer snapshots exist',
      when: 'The call would delete all snapshots that are newer than the one you want to restore.',
      next_step:
        'Restore the newest snapshot, or create an image from each snapshot in snapshot_ids that you want to keep and repeat the call with delete_newer_snapshots true, which deletes all of them.',
      extra: ['snapshot_ids'],
    },
    live_resize_unavailable: {
      status: 409,
      title: 'Live resize not possible',
      when: 'The machine cannot be resized to this size while it is running.',
      next_step: 'Use mode cold, which stops and starts the machine.',
      extra: ['reason'],
    },
    guest_agent_unavailable: {
      status: 409,
      title: 'Guest agent not reachable',
      when: 'This call needs the guest agent inside the machine, and the agent does not answer.',
      next_step:
        'Install or start the guest agent, or wait until the machine has booted, then repeat the call.',
      extra: ['agent_last_seen_at'],
    },
    placement_unsatisfiable: {
      status: 409,
      title: 'No host fits the placement group',
      when: 'No host meets the rules of the strict placement group.',
      next_step: 'Use a placement group that is not strict, or another location.',
      extra: ['placement_group_id'],
    },
    ssh_key_exists: {
      status: 409,
      title: 'SSH key already exists',
      when: 'Your account already has this SSH key.',
      next_step: 'Use the key in existing_id, or repeat the call with ?if_exists=return.',
      extra: ['existing_id'],
    },
    cidr_overlap: {
      status: 409,
      title: 'Networks overlap',
      when: 'Two networks of the same machine or VPN gateway, or a network and a range of the VPN, would overlap.',
      next_step: 'Use a network or a range that does not overlap.',
      extra: ['existing_id'],
    },
    public_key_taken: {
      status: 409,
      title: 'Public key already used',
      when: 'Another peer of the same VPN gateway has this public key.',
      next_step: 'Use the peer in existing_id, or generate another key pair.',
      extra: ['existing_id'],
    },
  },
  fieldCodes: {
    disk_shrink: 'A disk can only grow.',
    no_network: 'The machine would have no connection.',
  },
  presets: {
    'ci-deploy': {
      title: 'CI deploy',
      description: 'Creates and changes machines, networks and volumes; cannot delete them.',
      patterns: [
        ...deployNouns.flatMap((noun) => [`flexible-vps:${noun}:read`, `flexible-vps:${noun}:write`]),
        'flexible-vps:vm-power:write',
        'account:pricing:read',
      ],
    },
    'power-operator': {
      title: 'Power operator',
      description: 'Starts, stops and resets machines and dedicated servers.',
      patterns: ['flexible-vps:vms:read', 'flexible-vps:vm-power:write'],
    },
    'backup-job': {
      title: 'Backup job',
      description: 'Creates and lists backups of machines.',
      patterns: ['flexible-vps:vms:read', 'flexible-vps:backups:read', 'flexible-vps:backups:write'],
    },
  },
  developersDelete: ['vms', 'snapshots', 'volumes', 'images', 'isos'],
} as const satisfies FamilyContract;
