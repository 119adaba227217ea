/** Adds and removes entries of the IP allowlist. */
import type { AllowlistMode } from '../../kernel/access/tables.ts';
import type { Warning } from '../../kernel/effect.ts';
import type { NewEvent } from '../../kernel/events/event.ts';
import { newId } from '../../kernel/ids.ts';
import { type CidrCheck, checkCidr } from '../../kernel/net/allowed-range.ts';
import { type Cidr, cidrCovers, parseCidr } from '../../kernel/net/cidr.ts';
import { type FieldError, Problem } from '../../kernel/problems/problem.ts';
import { Shape, type Static, Time, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import { type Actor, labelOf } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, Line } from '../input.ts';
import { type Limits, requireRoom } from '../limits.ts';
import { change, notFound } from '../portal-write.ts';
import {
  bumpAllowlist,
  deleteEntry,
  type EntryRow,
  ensureAllowlist,
  findAllowlist,
  findEntries,
  insertEntry,
} from './store.ts';
import { type EntryView, viewEntry } from './view.ts';

const AddEntry = Shape({
  account_id: Type.String(),
  cidr: Type.String({ minLength: 1, maxLength: 64 }),
  note: Type.Optional(Line(0, 100)),
  expires_at: Type.Optional(Time),
});
export type AddAllowlistEntry = Static<typeof AddEntry>;

function lateFaults({ expires_at }: Partial<AddAllowlistEntry>): FieldError[] {
  if (expires_at === undefined || Date.parse(expires_at) > Date.now()) return [];
  return [{ pointer: '/expires_at', code: 'out_of_range', detail: 'Must lie in the future.' }];
}

/**
 * Parses the range. If it is the only invalid field, the error has its own code and contains the corrected
 * range; otherwise it is listed with the other field errors.
 */
function readRange(input: AddAllowlistEntry): CidrCheck & { readonly ok: true } {
  const checked = checkCidr(String(input.cidr));
  const own = checked.ok || checked.code === 'invalid_format' ? undefined : checked.code;
  const code = own === 'cidr_too_broad' ? 'out_of_range' : 'invalid_format';
  const errors: FieldError[] = checked.ok ? [] : [{ pointer: '/cidr', code, detail: checked.detail }];
  check(AddEntry, input, (sound) => {
    const late = lateFaults(sound);
    const isAlone = late.length === 0 && Object.keys(sound).length === Object.keys(input).length;
    return [...(own !== undefined && isAlone ? [] : errors), ...late];
  });
  if (checked.ok) return checked;
  throw new Problem(own ?? 'validation_failed', {
    detail: checked.detail,
    errors,
    ...(checked.code === 'host_bits_set' ? { extra: { corrected: checked.corrected } } : {}),
  });
}

const changedEvent = (accountId: string, added: string[], removed: string[]): NewEvent => ({
  type: 'ip_allowlist.entries_changed',
  resource: { type: 'ip_allowlist', id: accountId, name: null },
  message: [
    ...added.map((cidr) => `${cidr} was added to the IP allowlist.`),
    ...removed.map((cidr) => `${cidr} was removed from the IP allowlist.`),
  ].join(' '),
  data: { added, removed },
});

/** Emitted when the last unexpired entry is removed while the mode is not `off`. */
const emptyEvent = (accountId: string, mode: AllowlistMode): NewEvent => ({
  type: 'ip_allowlist.empty',
  resource: { type: 'ip_allowlist', id: accountId, name: null },
  message: 'The IP allowlist has no unexpired range left.',
  data: { mode },
});

function warningsFor(added: Cidr, hint: string | null, others: readonly EntryRow[]): Warning[] {
  const cover = others.find((other) => {
    const range = other.live ? parseCidr(other.cidr)?.cidr : undefined;
    return range !== undefined && cidrCovers(range, added);
  });
  const warnings: Warning[] = [];
  if (cover !== undefined) {
    warnings.push({ code: 'covered_by_entry', detail: `${cover.cidr} (${cover.id}) covers it already.` });
  }
  if (hint !== null) warnings.push({ code: 'narrow_ipv6_range', detail: hint });
  return warnings;
}

export async function addAllowlistEntry(
  db: Db,
  actor: Actor,
  input: AddAllowlistEntry,
  catalogue: Limits,
): Promise<{ entry: EntryView; warnings: Warning[] }> {
  return change(db, actor, 'addIpAllowlistEntry', input.account_id, async (tx, account) => {
    const { cidr: range, hint } = readRange(input);
    await authorise(tx, actor, account.id, 'admin');
    await ensureAllowlist(tx, account.id);
    const cidr = range.text;
    const entries = await findEntries(tx, account.id);
    const same = entries.find((entry) => parseCidr(entry.cidr)?.cidr.text === cidr);
    if (same?.live) {
      throw new Problem('entry_exists', { detail: `${cidr} is on the list already, as ${same.id}.` });
    }
    // An expired entry for the same range is replaced.
    if (same !== undefined) await deleteEntry(tx, same.id);
    const others = entries.filter((entry) => entry !== same);
    await requireRoom(tx, account.id, 'account.ip-allowlist-entries', { used: others.length }, catalogue);
    const entry = await insertEntry(tx, {
      id: newId('allowlist_entry'),
      account_id: account.id,
      cidr,
      note: input.note ?? '',
      expires_at: input.expires_at === undefined ? null : new Date(input.expires_at),
      created_by: labelOf(actor),
    });
    await bumpAllowlist(tx, account.id);
    const { note, expires_at } = entry;
    return {
      result: { entry: viewEntry(entry), warnings: warningsFor(range, hint, others) },
      resource: { type: 'ip_allowlist_entry', id: entry.id, name: cidr },
      changes: [{ pointer: '', before: null, after: { cidr, note, expires_at } }],
      events: [changedEvent(account.id, [cidr], [])],
    };
  });
}

const RemoveEntry = Shape({ account_id: Type.String(), entry_id: Type.String() });
export type RemoveAllowlistEntry = Static<typeof RemoveEntry>;

export async function removeAllowlistEntry(
  db: Db,
  actor: Actor,
  input: RemoveAllowlistEntry,
): Promise<EntryView> {
  return change(db, actor, 'removeIpAllowlistEntry', input.account_id, async (tx, account) => {
    check(RemoveEntry, input);
    await authorise(tx, actor, account.id, 'admin');
    const entries = await findEntries(tx, account.id);
    const entry = entries.find(({ id }) => id === input.entry_id);
    if (entry === undefined) throw notFound('entry', input.entry_id);
    const { mode } = (await findAllowlist(tx, account.id)) ?? { mode: 'off' as const };
    const isLast = entry.live && !entries.some((other) => other !== entry && other.live);
    if (mode === 'enforce' && isLast) throw new Problem('allowlist_last_entry');
    await deleteEntry(tx, entry.id);
    await bumpAllowlist(tx, account.id);
    const { cidr, note, expires_at } = entry;
    return {
      result: viewEntry(entry),
      resource: { type: 'ip_allowlist_entry', id: entry.id, name: cidr },
      changes: [{ pointer: '', before: { cidr, note, expires_at }, after: null }],
      events: [
        changedEvent(account.id, [], [cidr]),
        ...(isLast && mode !== 'off' ? [emptyEvent(account.id, mode)] : []),
      ],
    };
  });
}
