import type { EventType } from '../../kernel/events/event.ts';
import { Shape } from '../../kernel/schema.ts';

const nothing = Shape({});

const info = (type: string, when: string): EventType => ({ type, severity: 'info', when, data: nothing });

export const eventTypes: readonly EventType[] = [
  info('ssh_key.created', 'An SSH key was stored.'),
  info('ssh_key.deleted', 'A stored SSH key was deleted; machines keep what was installed.'),

  info('placement_group.created', 'A placement group was created.'),
  info('placement_group.deleted', 'A placement group was deleted.'),

  info('network.created', 'A private network is ready.'),
  info('network.updated', 'A private network was changed.'),
  info('network.deleted', 'A private network is gone.'),
  {
    type: 'network.lost',
    severity: 'error',
    when: 'A private network is no longer where it should be.',
    data: nothing,
  },
  info('network.recovered', 'A private network that was lost is there again.'),

  info('image.available', 'An image of the account is ready.'),
  info('image.deleted', 'An image of the account is gone.'),
  {
    type: 'image.failed',
    severity: 'error',
    when: 'An image could not be made; it is kept 7 days with the reason.',
    data: nothing,
  },

  info('vm.created', 'A machine was made and is as it was asked for.'),
  info('vm.updated', 'What the control plane keeps about a machine was changed.'),
  info('vm.started', 'A machine was started.'),
  info('vm.stopped', 'A machine was stopped.'),
  info('vm.restarted', 'A machine was started again.'),
  {
    type: 'vm.stopped_by_guest',
    severity: 'warning',
    when: 'A machine was shut down from within.',
    data: nothing,
  },
  {
    type: 'vm.crashed',
    severity: 'error',
    when: 'A machine stopped by an error, or with its host.',
    data: nothing,
  },
  { type: 'vm.lost', severity: 'error', when: 'A machine is no longer where it should be.', data: nothing },
  info('vm.recovered', 'A machine that was lost, or whose host was, is there again.'),
  info('vm.resized', 'A machine has another size.'),
  info('vm.redeployed', 'The disk of a machine was wiped and installed again.'),
  info('vm.restored', 'The disk of a machine was put back to a snapshot.'),
  info('vm.rescue_entered', 'A machine runs its rescue system, or will from its next start on.'),
  info('vm.rescue_left', 'A machine runs from its own disk again, or will from its next start on.'),
  {
    type: 'vm.password_reset',
    severity: 'warning',
    when: 'The password of a user inside a machine was replaced.',
    data: nothing,
  },
  {
    type: 'vm.console_opened',
    severity: 'warning',
    when: 'Somebody was given a console of a machine.',
    data: nothing,
  },
  info('vm.deleted', 'A machine is gone.'),

  info('interface.attached', 'A machine was connected to a private network.'),
  info('interface.updated', 'The addresses or settings of an interface were changed.'),
  info('interface.detached', 'A machine was disconnected from a private network.'),
  info('public_ip.attached', 'A public address leads to a machine.'),
  info('public_ip.detached', 'A public address no longer leads to a machine.'),

  info('snapshot.created', 'A snapshot of a machine is ready.'),
  info('snapshot.deleted', 'A snapshot of a machine is gone.'),
  { type: 'snapshot.failed', severity: 'error', when: 'A snapshot could not be taken.', data: nothing },
  {
    type: 'snapshot.lost',
    severity: 'error',
    when: 'A snapshot is no longer where it should be; it is `failed` until it is deleted or there again.',
    data: nothing,
  },
  info('snapshot.recovered', 'A snapshot that was lost is there again.'),
];
