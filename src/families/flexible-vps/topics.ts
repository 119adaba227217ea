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
  placement_group: {
    title: 'Placement groups',
    purpose: 'Rules that keep machines on different hosts, or close together.',
  },
};
