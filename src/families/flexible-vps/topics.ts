import type { Topic } from '../../kernel/registry.ts';

/** What the resources of the family are for, in the order in which people meet them. */
export const topics: Readonly<Record<string, Topic>> = {
  vps_location: {
    title: 'Locations',
    purpose: 'The places where machines can run, with what each of them offers.',
  },
  vps_plan: {
    title: 'Plans',
    purpose: 'The sizes of machines that you can order, with their prices in each location.',
  },
  vm: {
    title: 'Machines',
    purpose: 'Virtual machines: create, start, stop, resize, reinstall and delete them.',
  },
  vm_metrics: {
    title: 'Metrics',
    purpose: 'How much processor time, memory, disk and network a machine has used.',
  },
  vm_console_log: {
    title: 'Console log',
    purpose: 'What a machine wrote to its serial console, to find out why it does not boot.',
  },
  snapshot: {
    title: 'Snapshots',
    purpose: 'The state of a disk at one moment, to go back to it or to copy it.',
  },
  volume: {
    title: 'Volumes',
    purpose: 'Disks that outlive machines: attach them, move them to another machine, and let them grow.',
  },
  backup: {
    title: 'Backups',
    purpose:
      'Encrypted copies of disks in a store of their own, which outlive the machine: restore or download them.',
  },
  backup_policy: {
    title: 'Backup policies',
    purpose: 'When machines are backed up by themselves, and how many of these backups are kept.',
  },
  volume_snapshot: {
    title: 'Volume snapshots',
    purpose: 'The content of a volume at one moment, to go back to it or to make another volume from it.',
  },
  image: {
    title: 'Images',
    purpose: 'The disks that machines are created from: those of the provider, and your own.',
  },
  iso: {
    title: 'ISOs',
    purpose: 'Discs for the drives of machines, such as installers, imported from a URL.',
  },
  ssh_key: {
    title: 'SSH keys',
    purpose: 'Public keys that are installed in new machines, so that you can sign in without a password.',
  },
  network: {
    title: 'Private networks',
    purpose: 'Networks that connect your machines with each other and are closed to everybody else.',
  },
  interface: {
    title: 'Interfaces',
    purpose: 'The connections of a machine to private networks, with their addresses.',
  },
  firewall: {
    title: 'Firewalls',
    purpose: 'Rules that decide which connections reach your machines, and which ones they may open.',
  },
  vpn_gateway: {
    title: 'VPN gateways',
    purpose: 'WireGuard servers that lead from the internet into your private networks.',
  },
  vpn_peer: {
    title: 'VPN peers',
    purpose:
      'The devices and offices that may connect to a VPN gateway, with their configurations and traffic.',
  },
  placement_group: {
    title: 'Placement groups',
    purpose: 'Rules that keep machines on different hosts, or close together.',
  },
};
