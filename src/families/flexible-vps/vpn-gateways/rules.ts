/** Checks the ranges and addresses of a gateway beyond their schema. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { parseCidr as parseLenient } from '../../../kernel/net/cidr.ts';
import { type FieldError, Problem } from '../../../kernel/problems/problem.ts';
import { addressAt, overlaps } from '../networks/addresses.ts';
import { isPrivateRange, PRIVATE_RANGES } from '../networks/rules.ts';

const WIDEST = 20;
const NARROWEST = 28;
/** 100.96.0.0/11, cut into ranges of 256 addresses. */
const AUTOMATIC = { range: '100.96.0.0/11', count: 8192, size: 256 } as const;

const at = (pointer: string, code: FieldError['code'], detail: string): FieldError[] => [
  { pointer, code, detail },
];

export function tunnelFaults(text: string | undefined): FieldError[] {
  if (text === undefined) return [];
  const pointer = '/tunnel_ipv4_cidr';
  const parsed = text.includes('/') && !text.includes(':') ? parseLenient(text) : null;
  if (!parsed?.exact)
    return at(pointer, 'invalid_format', 'Write an IPv4 range such as 100.96.0.0/24, host bits zero.');
  const { cidr } = parsed;
  if (cidr.prefix < WIDEST || cidr.prefix > NARROWEST)
    return at(pointer, 'out_of_range', `From /${WIDEST} to /${NARROWEST}.`);
  return isPrivateRange(cidr)
    ? []
    : at(pointer, 'out_of_range', `Must lie inside one of ${PRIVATE_RANGES.join(', ')}.`);
}

export const dnsFaults = (servers: readonly string[] = []): FieldError[] =>
  servers.flatMap((server, i) =>
    parseAddress(server) === null
      ? at(`/dns_servers/${i}`, 'invalid_format', 'Write one IPv4 or IPv6 address.')
      : [],
  );

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
