/** The checks and defaults of new snapshots of machines and volumes, which run before the row is inserted. */
import type { Call } from '../../../kernel/call.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { refuseTaken } from '../../../resources/owned/refuse-taken.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import type { VmRow } from '../vms/table.ts';
import type { CreateSnapshot } from './schema.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 366 * 24 * HOUR_MS;

export function readExpiry(expiresAt: string | null | undefined, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const at = new Date(expiresAt);
  const ahead = at.getTime() - now.getTime();
  if (ahead > HOUR_MS && ahead <= YEAR_MS) return at;
  const detail = 'It must be more than an hour from now and at most a year.';
  throw invalid([{ pointer: '/expires_at', code: 'out_of_range', detail }]);
}

const two = (value: number): string => String(value).padStart(2, '0');

function nameAt(now: Date): string {
  const day = `${now.getUTCFullYear()}${two(now.getUTCMonth() + 1)}${two(now.getUTCDate())}`;
  return `snap-${day}-${two(now.getUTCHours())}${two(now.getUTCMinutes())}${two(now.getUTCSeconds())}`;
}

/**
 * Returns the requested name, or throws 409 if another snapshot of the same disk has it. Without a requested name it
 * returns `snap-` and the time, with a number after it if that name exists.
 */
function chooseName(
  wanted: string | undefined,
  others: readonly { readonly id: string; readonly name: string }[],
  now: Date,
  words: string,
): string {
  const holder = (name: string) => others.find((other) => other.name === name);
  if (wanted !== undefined) {
    refuseTaken(holder(wanted)?.id, wanted, { words });
    return wanted;
  }
  const base = nameAt(now);
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (holder(name) === undefined) return name;
  }
}

type NewSnapshotCall = Pick<Call, 'caller' | 'db' | 'services' | 'event' | 'now' | 'warn'> & {
  readonly body: Omit<CreateSnapshot, 'quiesce'>;
};

interface Disk {
  readonly id: string;
  readonly limit: string;
  readonly noun: 'machine' | 'volume';
  /** The other snapshots of the disk, locked. */
  readonly others: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

/** Throws if the name is taken, or if the disk has as many snapshots as it may. */
export async function columnsOfNew(call: NewSnapshotCall, { id, limit, noun, others }: Disk) {
  const { name: wanted, description = '', labels = {}, expires_at } = call.body;
  const expires = readExpiry(expires_at, call.now);
  const name = chooseName(wanted, others, call.now, `snapshot of the same ${noun}`);
  // Failed snapshots do not count against the limit: they are kept only so that the caller can read them.
  const standing = others.filter(({ status }) => status !== 'failed');
  await requireRoomIn(call, limit, id, { before: standing.length });
  return { name, description, labels, status: 'creating', expires_at: expires } as const;
}

/** The size is known only when the snapshot is taken, so the cost is that of a copy of the whole disk. */
export function readyAtMost({ warn }: Pick<Call, 'warn'>, gb: number) {
  const detail = `The price depends on the size of the finished snapshot; this is the most it can cost, for ${gb} GB.`;
  warn({ code: 'cost_follows_size', detail });
  return { status: 'available', size_bytes: gb * BYTES_PER_GB } as const;
}

/**
 * Throws if the guest cannot be quiesced although the caller requires it. Checks only the stored state; if the guest
 * agent has stopped since, the engine refuses the snapshot.
 */
export function refuseUnquiet(
  { services }: Pick<Call, 'services'>,
  vm: VmRow,
  quiesce: CreateSnapshot['quiesce'],
): void {
  if (quiesce !== 'require' || vm.status !== 'running') return;
  const capability = services.compute.at(vm.location)?.capabilities.quiesce;
  if (typeof capability === 'string')
    throw new Problem('capability_missing', { detail: capability, extra: { capability: 'quiesce' } });
  const isThere = vm.guest_agent !== null && !vm.guest_agent.is_silent;
  if (isThere && vm.rescue_expires_at === null) return;
  throw new Problem('guest_agent_unavailable', {
    extra: { agent_last_seen_at: vm.guest_agent?.last_seen_at ?? null },
  });
}
