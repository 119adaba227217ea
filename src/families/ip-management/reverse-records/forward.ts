/** Whether a name leads back to its address. */

import type { ReverseDns } from '../../../engines/dns/port.ts';
import { askEngine } from '../../../engines/engine-call.ts';
import { EngineUnreachable } from '../../../engines/errors.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { ReverseRecordRow } from './table.ts';

export type Forward = Pick<ReverseRecordRow, 'forward_confirmed' | 'forward_checked_at' | 'forward_due_at'>;

/** After a name was set: the A or AAAA record is often made afterwards. */
const AGAIN_SECONDS = [300, 3_600, 86_400] as const;

/** When the name is looked up next, if that was done so often since it was set. */
export function nextLookUp(checks: number, now: Date): Date | null {
  const seconds = AGAIN_SECONDS[checks];
  return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000);
}

/** Nothing to look up: no name, or that of the provider. */
export const NOT_LOOKED_UP: Forward = {
  forward_confirmed: 'unknown',
  forward_checked_at: null,
  forward_due_at: null,
};

/** Gives up after the patience, with `unknown`. */
export async function confirm(
  engine: ReverseDns,
  { address, hostname }: { readonly address: string; readonly hostname: string },
  patienceMs: number,
): Promise<ReverseRecordRow['forward_confirmed']> {
  try {
    const found = await askEngine(engine, (dns, signal) => dns.lookUp(hostname, signal), patienceMs);
    if (found === null) return 'unknown';
    return found.some((text) => parseAddress(text)?.text === address) ? 'yes' : 'no';
  } catch (error) {
    if (error instanceof EngineUnreachable || error instanceof Problem) return 'unknown';
    throw error;
  }
}
