/** Gives the nameserver the name that an address is to have. */
import type { ReverseDns } from '../../../engines/dns/port.ts';
import { EngineRefused, EngineUnreachable } from '../../../engines/errors.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { SyncState } from './store.ts';

/** What became of it. A refusal says why. */
export type Outcome = 'synced' | 'away' | { readonly refused: string };

const RETRY_SECONDS = 60;

/** `hostname`: null for none. */
export interface Wish {
  readonly address: string;
  readonly hostname: string | null;
  readonly ttlSeconds: number;
}

export const tell = (
  engine: ReverseDns,
  { address, hostname, ttlSeconds }: Wish,
  signal: AbortSignal,
): Promise<void> =>
  hostname === null
    ? engine.removePtr(address, signal)
    : engine.ensurePtr(address, { hostname, ttlSeconds }, signal);

/** Runs a call to the nameserver. Rejects only with errors that are not those of engines. */
export async function outcomeOf(told: Promise<void>): Promise<Outcome> {
  try {
    await told;
    return 'synced';
  } catch (error) {
    if (error instanceof EngineRefused) return { refused: error.message };
    const isAway =
      error instanceof EngineUnreachable || (error instanceof Problem && error.code === 'engine_unavailable');
    if (isAway) return 'away';
    throw error;
  }
}

export function syncStateAfter(outcome: Outcome, now: Date): SyncState {
  if (outcome === 'synced') return { sync_status: 'synced', sync_error: null, due_at: null };
  if (outcome === 'away') return { sync_status: 'pending', sync_error: null, due_at: now };
  const dueAt = new Date(now.getTime() + RETRY_SECONDS * 1000);
  return { sync_status: 'failed', sync_error: outcome.refused, due_at: dueAt };
}
