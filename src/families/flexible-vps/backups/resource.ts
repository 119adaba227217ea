import { Id, Named, Nullable, OneOf, Shape } from '../../../kernel/schema.ts';
import { Owned } from '../../../resources/owned/owned.ts';
import { inGb } from '../gigabytes.ts';

const Skipped = Named(
  'BackupSkippedDetails',
  Shape(
    {
      reason: OneOf(
        {
          not_possible:
            'The machine was busy, or could not be backed up for another reason, during the whole window.',
          budget_exceeded: 'A budget with `block_new_cost` has no room for the backup.',
          not_allowed:
            'The account is restricted, suspended or closing, or its product is disabled, so it gets no backups.',
        },
        { description: 'Why the machine was not backed up.' },
      ),
      policy_id: Id('bpol', { description: 'The policy whose window it was.' }),
      budget_id: Nullable(Id('bud', { description: 'The budget without room; null for other reasons.' })),
      api_key_id: Nullable(
        Id('key', {
          description: 'The key that set the backups of the machine, for whose budgets they count.',
        }),
      ),
      member_id: Nullable(Id('mem', { description: 'The member who set them, or the owner of the key.' })),
    },
    { description: 'Why the machine was not backed up, and who set its backups.' },
  ),
);

export const backups = new Owned({
  type: 'backup',
  idPrefix: 'bkp',
  table: 'vm_backups',
  permission: 'flexible-vps:backups:read',
  path: '/flexible-vps/v1/backups/{id}',
  limit: 'flexible-vps.backups',
  loses: 'Its data can no longer be restored or downloaded.',
  events: {
    succeeded: { when: 'A backup of a machine is ready.', says: 'is ready' },
    failed: { severity: 'error', when: 'A backup could not be made.' },
    skipped: {
      severity: 'warning',
      when: 'A machine could not be backed up in a window of its policy, because it was busy during the whole window, because a budget has no room for the backup, or because the account is suspended.',
      data: Skipped,
    },
    link_created: { when: 'A link was made with which the backup can be downloaded.' },
    links_ended: { when: 'A call ended links with which the backup could be downloaded.' },
    deleted: { when: 'A backup was deleted.', says: 'is gone' },
  },
  inventory: ({ status, location, size_bytes }) => ({
    status,
    location,
    configuration: status === 'available' ? { location, size_gb: inGb(size_bytes ?? 0) } : null,
  }),
});
