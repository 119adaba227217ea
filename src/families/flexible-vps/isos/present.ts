import { exampleId, exampleOf } from '../../../kernel/examples.ts';
import { view } from '../../../resources/records/records.ts';
import { KEPT_DAYS } from '../imports/failed-imports.ts';
import { isPublic } from './offered.ts';
import { isos } from './resource.ts';
import { Iso } from './schema.ts';
import type { IsoRow } from './table.ts';

const DAY_MS = 86_400_000;

/** `mounted`: how many machines have it in their drive. */
export const isoView = view(isos, {
  schema: Iso,
  example: exampleOf(Iso, {
    id: exampleId('iso'),
    kind: 'private',
    name: 'debian-installer',
    source_url: 'https://isos.example.com/debian-13-netinst.iso',
    size_bytes: 702_545_920,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    locations: ['fra1', 'hel1'],
    mounted_on_count: 0,
  }),
  compute: (row: IsoRow & { readonly mounted?: number }) => ({
    kind: isPublic(row) ? ('public' as const) : ('private' as const),
    mounted_on_count: row.mounted ?? 0,
    expires_at:
      row.failed_at === null ? null : new Date(row.failed_at.getTime() + KEPT_DAYS * DAY_MS).toISOString(),
  }),
});
