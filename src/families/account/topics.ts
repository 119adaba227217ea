import type { Topic } from '../../kernel/registry.ts';

/** What the resources of the family are for, in the order in which people meet them. */
export const topics: Readonly<Record<string, Topic>> = {
  whoami: {
    title: 'Who am I',
    purpose: 'Which key you use, what it may do, and where your call comes from.',
  },
  api_access: {
    title: 'My APIs',
    purpose: 'The endpoints of this API, and for each whether your key may call it.',
  },
  profile: {
    title: 'Profile',
    purpose: 'The account itself: its name, status, products and settings.',
  },
  resource: {
    title: 'Inventory',
    purpose: 'Everything that the account has, of all product families in one list.',
  },
  limit: {
    title: 'Limits',
    purpose: 'How many resources the account may have, and how many it has.',
  },
  operation: {
    title: 'Operations',
    purpose: 'Work that goes on after a call was answered: follow it, wait for it or cancel it.',
  },
  event: {
    title: 'Events',
    purpose: 'What happened in the account, in order and without gaps, as pages or as a stream.',
  },
  webhook: {
    title: 'Webhooks',
    purpose: 'URLs of yours that receive a signed message for each event.',
  },
  webhook_delivery: {
    title: 'Webhook deliveries',
    purpose: 'The messages that were sent to a webhook, and what became of them.',
  },
  price: {
    title: 'Prices',
    purpose: 'The price list that applies to the account.',
  },
  estimate: {
    title: 'Estimates',
    purpose: 'What resources would cost, before you create them.',
  },
  usage: {
    title: 'Usage',
    purpose: 'What the account has used and what it has cost so far.',
  },
  budget: {
    title: 'Budgets',
    purpose: 'Amounts for a month that warn you, or refuse calls, when they are used up.',
  },
  member: {
    title: 'Members',
    purpose: 'The people of the account, with their roles.',
  },
  api_key: {
    title: 'API keys',
    purpose: 'The keys of the account: what each may do, and how to revoke one.',
  },
  key_denial: {
    title: 'Denials',
    purpose: 'Calls that were refused because a key lacks a right, to find out which right is missing.',
  },
  ip_allowlist: {
    title: 'IP allowlist',
    purpose: 'The addresses from which the keys of the account may be used.',
  },
  audit_entry: {
    title: 'Audit log',
    purpose: 'Who changed what and when, in a chain of entries that nobody can alter.',
  },
};
