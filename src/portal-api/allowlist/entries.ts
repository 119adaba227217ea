import type { Warning } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import { type CidrCheck, checkCidr, cidrCovers, parseCidr } from '../../kernel/net/cidr.ts';
import { type FieldError, Problem } from '../../kernel/problems/problem.ts';
import { Shape, type Static, Time, Type } from '../../kernel/schema.ts';
import type { Db } from '../../store/database.ts';
import { type Actor, labelOf } from '../actor.ts';
import { authorise } from '../authority.ts';
import { change, notFound } from '../change.ts';
import { check, Line } from '../input.ts';
import { type Limits, requireRoom } from '../limits.ts';
import { type EntryView, viewEntry } from './reading.ts';
import {
  bumpAllowlist,
  deleteEntry,
  type EntryRow,
  ensureAllowlist,
  findAllowlist,
  findEntries,
  insertEntry,
} from './store.ts';

const AddEntry = Shape({
  account_id: Type.String(),
  cidr: Type.String({ minLength: 1, maxLength: 64 }),
  note: Type.Optional(Line(0, 100)),
  expires_at: Type.Optional(Time),
});
export type AddAllowlistEntry = Static<typeof AddEntry>;

function cidrFaults(checked: CidrCheck): FieldError[] {
  if (checked.ok) return [];
  const code = checked.code === 'cidr_too_broad' ? 'out_of_range' : 'invalid_format';
  return [{ pointer: '/cidr', code, detail: checked.detail }];
}

/** A slip in the range alone has a name of its own, with the corrected range; beside other faults it is one of them. */
function checkAll(input: AddAllowlistEntry, checked: CidrCheck): void {
  const own = !checked.ok && checked.code !== 'invalid_format';
  check(AddEntry, input, (sound) => {
    const { expires_at } = sound;
    const past = expires_at !== undefined && Date.parse(expires_at) <= Date.now();
    const late: FieldError[] = past
      ? [{ pointer: '/expires_at', code: 'out_of_range', detail: 'Must lie in the future.' }]
      : [];
    const isAlone = own && late.length === 0 && Object.keys(sound).length === Object.keys(input).length;
    return isAlone || sound.cidr === undefined ? late : [...cidrFaults(checked), ...late];
  });
  if (checked.ok || checked.code === 'invalid_format') return;
  throw new Problem(checked.code, {
    detail: checked.detail,
    errors: cidrFaults(checked),
    ...(checked.code === 'host_bits_set' ? { extra: { corrected: checked.corrected } } : {}),
  });
}

function warningsFor(cidr: string, hint: string | null, others: readonly EntryRow[]): Warning[] {
  const added = parseCidr(cidr)?.cidr;
  const cover = others.find((other) => {
    const range = other.live ? parseCidr(other.cidr)?.cidr : undefined;
    return added !== undefined && range !== undefined && cidrCovers(range, added);
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
    const checked = checkCidr(String(input.cidr));
    checkAll(input, checked);
    await authorise(tx, actor, account.id, 'admin');
    await ensureAllowlist(tx, account.id);
    if (!checked.ok) throw new Error('A range that is not one passed the check.');
    const cidr = checked.cidr.text;
    const entries = await findEntries(tx, account.id);
    const same = entries.find((entry) => parseCidr(entry.cidr)?.cidr.text === cidr);
    if (same?.live) {
      throw new Problem('entry_exists', { detail: `${cidr} is on the list already, as ${same.id}.` });
    }
    // One that has expired only stands in the way of its own renewal.
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
      result: { entry: viewEntry(entry), warnings: warningsFor(cidr, checked.hint, others) },
      resource: { type: 'ip_allowlist_entry', id: entry.id, name: cidr },
      changes: [{ pointer: '', before: null, after: { cidr, note, expires_at } }],
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
    const { mode } = (await findAllowlist(tx, account.id)) ?? { mode: 'off' };
    const isLast = entry.live && !entries.some((other) => other !== entry && other.live);
    if (mode === 'enforce' && isLast) throw new Problem('allowlist_last_entry');
    await deleteEntry(tx, entry.id);
    await bumpAllowlist(tx, account.id);
    const { cidr, note, expires_at } = entry;
    return {
      result: viewEntry(entry),
      resource: { type: 'ip_allowlist_entry', id: entry.id, name: cidr },
      changes: [{ pointer: '', before: { cidr, note, expires_at }, after: null }],
    };
  });
}
