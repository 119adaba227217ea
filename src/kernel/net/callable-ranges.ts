/**
 * The rules of `Egress` as a list of ranges, for firewalls of machines that resolve host names of customers themselves.
 * The first range that contains an address decides; other addresses may be called.
 */
import { specialRanges } from './address-kind.ts';
import { type Cidr, parseCidr } from './cidr.ts';
import type { EgressSettings } from './egress.ts';

export interface RangeVerdict {
  readonly cidr: string;
  readonly isCallable: boolean;
}

const cidrsOf = (texts: readonly string[]): Cidr[] => texts.flatMap((text) => parseCidr(text)?.cidr ?? []);

/** Of the ranges that the provider allows and denies, the narrowest decides, and a denied one if both are equal. */
export function callableRanges({ allow, deny }: Pick<EgressSettings, 'allow' | 'deny'>): RangeVerdict[] {
  const settings = [
    ...cidrsOf(deny).map((cidr) => ({ cidr, isCallable: false })),
    ...cidrsOf(allow).map((cidr) => ({ cidr, isCallable: true })),
  ].sort((a, b) => b.cidr.prefix - a.cidr.prefix);
  const special = cidrsOf(specialRanges).map((cidr) => ({ cidr, isCallable: false }));
  return [...settings, ...special].map(({ cidr, isCallable }) => ({ cidr: cidr.text, isCallable }));
}
