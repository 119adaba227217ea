import { Owned } from '../../../resources/owned/owned.ts';
import { vmLife } from './lifecycle.ts';

export const vms = new Owned({
  type: 'vm',
  idPrefix: 'vm',
  table: 'vms',
  words: 'machine',
  permission: 'flexible-vps:vms:read',
  path: '/flexible-vps/v1/vms/{id}',
  limit: 'flexible-vps.vms',
  stops: true,
  loses: 'All data on the disk.',
  events: {
    created: { when: 'A machine was created.' },
    updated: {
      when: 'The stored settings of a machine were changed, such as its name or labels.',
      says: 'was changed',
    },
    started: { when: 'A machine was started.' },
    stopped: { when: 'A machine was stopped.' },
    restarted: { when: 'A machine was restarted.' },
    stopped_by_guest: {
      severity: 'warning',
      when: 'A machine was shut down by its guest system.',
      says: 'was shut down by its guest system',
    },
    crashed: {
      severity: 'error',
      when: 'A machine stopped because of an error or because its host failed.',
      says: 'stopped because of an error',
    },
    lost: { severity: 'error', when: 'A machine can no longer be found.', says: 'can no longer be found' },
    recovered: { when: 'A machine was found again after it or its host was lost.' },
    resized: { when: 'A machine was resized.' },
    redeployed: { when: 'The disk of a machine was wiped, and an image was installed on it.' },
    restored: { when: 'The disk of a machine was restored from a snapshot.' },
    rescue_entered: { when: 'A machine runs its rescue system, or boots it at its next start.' },
    rescue_left: { when: 'A machine runs from its own disk again, or boots from it at its next start.' },
    drive_changed: { when: 'An ISO was put into the drive of a machine, or ejected.' },
    password_reset: {
      severity: 'warning',
      when: 'The password of a user inside a machine was replaced.',
    },
    console_opened: { severity: 'warning', when: 'A console session for a machine was created.' },
    deleted: { when: 'A machine was deleted.', says: 'is gone' },
  },
  inventory: ({ status, location, is_billed, configuration }) => ({
    status,
    location,
    is_stopped: status === 'stopped' || status === 'suspended',
    configuration: is_billed ? configuration : null,
    keepsPrice: is_billed && vmLife.transitional.includes(status),
  }),
});
