/** The port groups that tie rules to the switches of a network: their names and labels. */

/** `inside`: the switch of the machines. `outside`: the switch between router and uplink. */
export type Side = 'inside' | 'outside';

/** The labels of groups, and of what belongs to them. */
export const labels = {
  network: 'hostplane-network',
  group: 'hostplane-group',
  subject: 'hostplane-subject',
  machine: 'hostplane-machine',
} as const;

const NAME = /^hostplane_(.+)_inside$/;

/** OVN allows no hyphens in names of groups. */
export const groupNameOf = (prefix: string, side: Side): string =>
  `hostplane_${prefix.replaceAll('-', '_')}_${side}`;

/** The prefix of the network, from the name of its group inside; null for other groups. */
export const prefixOf = (groupName: string): string | null =>
  NAME.exec(groupName)?.[1]?.replaceAll('_', '-') ?? null;
