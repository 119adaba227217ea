import type { FamilyContract } from '../../contract/form.ts';

export const supportContract = {
  name: 'support',
  meaning: 'Questions to the provider and their answers.',
  endpoints: 6,
  planned: {
    tickets: ['read', 'write'],
    messages: ['read', 'write'],
  },
  presets: {
    'support-desk': {
      title: 'Support desk',
      description: 'Opens and answers tickets.',
      patterns: ['support:*:*'],
    },
  },
} as const satisfies FamilyContract;
