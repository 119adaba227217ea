import { presenter } from '../../../kernel/presenter.ts';
import { isPublic } from './offered.ts';
import { isos } from './resource.ts';
import { Iso } from './schema.ts';
import type { IsoRow } from './table.ts';

/** A failed ISO is kept so that its owner can read the reason. */
export const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

/** `mounted`: how many machines have it in their drive. */
export const presentIso = presenter(Iso, {
  etag: (row: IsoRow & { readonly mounted?: number }) => isos.etag(row),
  compute: (row) => ({
    kind: isPublic(row) ? ('public' as const) : ('private' as const),
    mounted_on_count: row.mounted ?? 0,
    expires_at:
      row.failed_at === null ? null : new Date(row.failed_at.getTime() + KEPT_DAYS * DAY_MS).toISOString(),
  }),
});
