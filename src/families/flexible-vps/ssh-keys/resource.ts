import { Owned } from '../../../resources/owned/owned.ts';

export const sshKeys = new Owned({
  type: 'ssh_key',
  idPrefix: 'sshkey',
  table: 'ssh_keys',
  words: 'SSH key',
  permission: 'flexible-vps:ssh-keys:read',
  path: '/flexible-vps/v1/ssh-keys/{id}',
  limit: 'flexible-vps.ssh-keys',
  loses: 'New machines can no longer get the public key. Machines that have it keep it.',
  events: {
    created: { when: 'An SSH key was stored.', says: 'was stored' },
    deleted: { when: 'A stored SSH key was deleted; it stays installed on machines.' },
  },
});
