import type { Topic } from '../../kernel/registry.ts';

/** What the resources of the family are for, in the order in which people meet them. */
export const topics: Readonly<Record<string, Topic>> = {
  address: {
    title: 'Addresses',
    purpose:
      'Public IPv4 addresses, IPv6 prefixes and subnets: reserve them, and move them from machine to machine.',
  },
  reverse_record: {
    title: 'Reverse DNS',
    purpose: 'The names that the DNS has for your public addresses, as mail servers and logs look them up.',
  },
};
