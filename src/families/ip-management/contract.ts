import type { FamilyContract } from '../../contract/form.ts';

export const ipManagementContract = {
  name: 'ip-management',
  meaning: 'Reserved public addresses, prefixes and reverse DNS.',
  endpoints: 8,
  problems: {
    address_taken: {
      status: 409,
      title: 'Address already used',
      when: 'The address is already in use, or it is not one that your account released recently (in quarantine).',
      next_step: 'Choose another address, or let the provider choose one.',
      extra: ['existing_id'],
    },
    address_blocked: {
      status: 409,
      title: 'Address blocked',
      when: 'The provider has blocked the address.',
      next_step: 'Ask your provider why the address is blocked.',
    },
    not_releasable: {
      status: 409,
      title: 'Address cannot be released',
      when: 'The address is ephemeral, or it is the primary address of a machine.',
      next_step:
        'Set `kind` to `reserved` with PATCH /ip-management/v1/addresses/{id}, then release the address; or delete what has it.',
    },
  },
  presets: {
    'ip-failover': {
      title: 'IP failover',
      description: 'Moves addresses between machines.',
      patterns: ['ip-management:addresses:read', 'ip-management:assignments:write'],
    },
    'reverse-dns': {
      title: 'Reverse DNS',
      description: 'Manages the reverse DNS names of addresses.',
      patterns: ['ip-management:addresses:read', 'ip-management:reverse-records:*'],
    },
  },
} as const satisfies FamilyContract;
