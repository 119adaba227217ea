/** Decides whether an import may take more of the disk: all imports together leave some free, and accounts have shares. */
import { failed, type Outcome } from '../../../kernel/operations/kind.ts';
import type { Imports } from '../../../provider/imports.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';

/** What one import holds of the disk. */
export interface Held {
  readonly account: string;
  readonly bytes: number;
  /** The part of `bytes` that is written already. */
  readonly usedBytes: number;
}

export interface Disk {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

const gb = (bytes: number): string => (bytes / BYTES_PER_GB).toFixed(1);

/** The import has to wait for room. If `neverFits`, waiting would not help: its file is too large for this disk. */
export class NoRoom extends Error {
  readonly neverFits: boolean;
  constructor(neverFits: boolean, options: { readonly detail?: string; readonly cause?: unknown } = {}) {
    super(options.detail ?? 'The disk for imports has no room at the moment.', { cause: options.cause });
    this.name = 'NoRoom';
    this.neverFits = neverFits;
  }
}

/** `held` includes what is wanted. Returns null if it fits. */
export function judge(
  { keep_free_percent, account_share_percent }: Pick<Imports, 'keep_free_percent' | 'account_share_percent'>,
  { freeBytes, sizeBytes }: Disk,
  held: readonly Held[],
  { account, bytes }: Pick<Held, 'account' | 'bytes'>,
): NoRoom | null {
  const keptFree = (sizeBytes * keep_free_percent) / 100;
  const share = account_share_percent / 100;
  const most = share * (sizeBytes - keptFree);
  if (bytes > most) {
    const detail = `The import needs ${gb(bytes)} GB on the disk of a worker, and one account can have at most ${gb(most)} GB of it. Use a smaller file, or ask your provider for more room.`;
    return new NoRoom(true, { detail });
  }
  const sum = (of: readonly Held[], member: 'bytes' | 'usedBytes'): number =>
    of.reduce((total, each) => total + each[member], 0);
  const room = Math.max(0, freeBytes + sum(held, 'usedBytes') - keptFree);
  const isOverShare =
    sum(
      held.filter((each) => each.account === account),
      'bytes',
    ) >
    share * room;
  return isOverShare || sum(held, 'bytes') > room ? new NoRoom(false) : null;
}

const [LEAST_WAIT_SECONDS, MORE_WAIT_SECONDS] = [10, 10];

/** Imports that waited for each other look again at different times. */
export function outcomeOf(error: NoRoom): Outcome {
  if (error.neverFits) return failed('capacity_unavailable', error.message);
  const seconds = LEAST_WAIT_SECONDS + Math.random() * MORE_WAIT_SECONDS;
  return { kind: 'sleep', seconds, waitingFor: 'disk' };
}

const STEP_BYTES = 64 * 1024 * 1024;

/** Reserves what a file of unknown size needs in steps. Each call tells how many bytes it needs by now. */
export function growingBy(
  reserve: (bytes: number) => Promise<void>,
  mostBytes: number,
): (bytes: number) => Promise<void> {
  let reserved = 0;
  return async (bytes) => {
    if (bytes <= reserved) return;
    const isFirst = reserved === 0;
    reserved = isFirst ? bytes : Math.min(bytes + STEP_BYTES, mostBytes);
    await reserve(reserved);
  };
}
