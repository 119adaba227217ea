/** Chooses the range of a tunnel, and refuses ranges that overlap. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { addressAt, overlaps } from '../networks/addresses.ts';

/** 100.96.0.0/11, cut into ranges of 256 addresses. */
const AUTOMATIC = { range: '100.96.0.0/11', count: 8192, size: 256 } as const;

export const canonicalServers = (servers: readonly string[] = []): string[] =>
  servers.map((server) => parseAddress(server)?.text ?? server);

/** The first automatic range that overlaps none of these. */
export function freeTunnel(taken: readonly string[]): string {
  for (let index = 0; index < AUTOMATIC.count; index++) {
    const range = `${addressAt(AUTOMATIC.range, index * AUTOMATIC.size)}/24`;
    if (!taken.some((other) => overlaps(other, range))) return range;
  }
  throw new Problem('cidr_overlap', {
    detail: `No range of ${AUTOMATIC.range} is free. Choose the range yourself with tunnel_ipv4_cidr.`,
    extra: { existing_id: null },
  });
}

export interface NamedRange {
  readonly id: string | null;
  /** What the range belongs to, in a sentence. */
  readonly what: string;
  readonly range: string;
}

/** Throws 409 if two of these ranges overlap: packets to the shared addresses would have two ways. */
export function refuseOverlaps(ranges: readonly NamedRange[]): void {
  for (const [i, one] of ranges.entries())
    for (const other of ranges.slice(i + 1))
      if (overlaps(one.range, other.range))
        throw new Problem('cidr_overlap', {
          detail: `${one.range} of ${one.what} overlaps ${other.range} of ${other.what}.`,
          extra: { existing_id: other.id ?? one.id },
        });
}
