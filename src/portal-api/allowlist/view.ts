/** Shows the IP allowlist, and a preview of what Enforce would deny. */
import type { Warning } from '../../kernel/effect.ts';
import { parseAddress } from '../../kernel/net/address.ts';
import { cidrContains, parseCidr } from '../../kernel/net/cidr.ts';
import type { Db } from '../../store/database.ts';
import { findAccount } from '../accounts/store.ts';
import { notFound } from '../portal-write.ts';
import {
  type EntryRow,
  findAllowlist,
  findEntries,
  findSightings,
  hoursInMode,
  type Sighting,
} from './store.ts';

export async function showAllowlist(db: Db, accountId: string) {
  if ((await findAccount(db, accountId)) === undefined) throw notFound('account', accountId);
  const list = await findAllowlist(db, accountId);
  const entries = await findEntries(db, accountId);
  return {
    mode: list?.mode ?? 'off',
    mode_changed: list?.mode_changed_at ? { at: list.mode_changed_at, by: list.mode_changed_by } : null,
    version: list?.version ?? 1,
    entries: entries.map(viewEntry),
  };
}

export function viewEntry({ id, cidr, note, expires_at, live, last_matched_at, ...row }: EntryRow) {
  const created = { at: row.created_at, by: row.created_by };
  return { id, cidr, note, expires_at, live, last_matched_at, created };
}

export type EntryView = ReturnType<typeof viewEntry>;

export interface EnforcePreview {
  /** Pairs of key and address that were seen in the last 30 days and match no unexpired entry. */
  readonly would_deny: readonly Sighting[];
  readonly warnings: readonly Warning[];
}

const ENOUGH_HOURS = 24;

/** Shows which recent callers Enforce would deny, before it is switched on. */
export async function previewEnforce(db: Db, accountId: string): Promise<EnforcePreview> {
  const list = await findAllowlist(db, accountId);
  const ranges = (await findEntries(db, accountId)).flatMap(({ cidr, live }) => {
    const parsed = live ? parseCidr(cidr) : null;
    return parsed === null ? [] : [parsed.cidr];
  });
  const would_deny = (await findSightings(db, accountId)).filter(({ client_ip }) => {
    const address = parseAddress(client_ip);
    return address !== null && !ranges.some((range) => cidrContains(range, address));
  });
  if (list?.mode === 'enforce') return { would_deny, warnings: [] };
  const hours = list?.mode === 'report_only' ? await hoursInMode(db, accountId) : 0;
  if (hours !== null && hours >= ENOUGH_HOURS) return { would_deny, warnings: [] };
  const ran =
    list?.mode === 'report_only' ? `has run for ${Math.floor(hours ?? 0)} hours only` : 'has not run';
  const detail = `Report only ${ran}: callers that come once a day may not have been seen yet.`;
  return { would_deny, warnings: [{ code: 'report_only_too_short', detail }] };
}
