import { presentLink } from '../../../kernel/downloads/link.ts';
import { linksOf } from '../../../kernel/downloads/store.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import { view } from '../../../resources/records/records.ts';
import { backups } from './resource.ts';
import { Backup } from './schema.ts';

export const backupView = view(backups, {
  schema: Backup,
  example: exampleOf(Backup, {
    name: 'before-upgrade',
    vm_name: 'web-1',
    location: 'fra1',
    disk_gb: 80,
    memory_mb: 4096,
    vcpus: 2,
    size_bytes: 1_610_612_736,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    consistency: 'filesystem',
    provisioned_at: '2026-03-01T10:02:00.000Z',
  }),
  more: { links: linksOf('vm_backups.id') },
  compute: ({ links }) => ({ download_links: links.map(presentLink) }),
});
