/** The checks and defaults of createVmSnapshot, which run before the row is inserted. */
import type { Call } from '../../../kernel/call.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { refuseTaken } from '../../../resources/owned/refuse-taken.ts';
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
export function chooseName(
  wanted: string | undefined,
  others: readonly { readonly id: string; readonly name: string }[],
  now: Date,
  words = 'snapshot of the same machine',
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
