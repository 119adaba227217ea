import { Lifecycle } from '../../../kernel/lifecycle.ts';

const ANY = ['pending', 'synced', 'failed'] as const;

/** Whether the nameserver has the name. A name can be set in every state. */
export const reverseRecordLife = new Lifecycle({
  resource: 'reverse_record',
  table: 'reverse_records',
  member: 'sync_status',
  states: {
    pending: 'The nameserver does not have it yet. It is told again by itself, every few seconds.',
    synced: 'The nameserver has it.',
    failed: 'The nameserver refused it; `sync_error` says why. It is tried again every minute.',
  },
  transitional: ['pending'],
  transitions: [
    { by: ['setReverseRecord'], from: null, to: ANY },
    { by: ['setReverseRecord'], from: ANY, to: ANY },
    { by: ['engine'], from: ['pending', 'failed'], to: ['synced', 'failed'] },
    { by: ['engine'], from: ['synced'], to: ['pending'] },
    { by: ['provider'], from: ANY, to: ['pending', null] },
  ],
});
