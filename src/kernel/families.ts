import { type Meanings, Named, OneOf } from './schema.ts';

/** The nine product families and the number of endpoints each has when it is complete, as the contract defines it. */
export const familySizes = {
  account: 27,
  'flexible-vps': 88,
  kubernetes: 27,
  dedicated: 25,
  storage: 14,
  datacenter: 20,
  'ip-management': 8,
  monitoring: 9,
  support: 6,
} as const;

export type FamilyName = keyof typeof familySizes;

const familyMeanings: Meanings<FamilyName> = {
  account: 'The account itself: keys, members, operations, events, webhooks, prices, usage and budgets.',
  'flexible-vps': 'Virtual machines with their images, snapshots, networks, SSH keys and placement groups.',
  kubernetes: 'Managed Kubernetes clusters and their node pools.',
  dedicated: 'Dedicated servers.',
  storage: 'Object storage: buckets and their access keys.',
  datacenter: 'Racks, power, cross connects and remote hands in a data centre.',
  'ip-management': 'Reserved public addresses, prefixes and reverse DNS.',
  monitoring: 'Checks, alerts and metrics.',
  support: 'Questions to the provider and their answers.',
};

export const Family = Named(
  'Family',
  OneOf<FamilyName>(familyMeanings, {
    description: 'A family of products; the first part of the path of its calls.',
  }),
);

export const familyNames = Object.keys(familySizes) as readonly FamilyName[];
