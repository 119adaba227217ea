/**
 * Everything a law lets pass, with the reason. A law compares what it found with its list here, both ways: what is
 * not listed fails, and so does an entry that is no longer needed. The lists may only shrink.
 */
import type { FamilyName } from '../kernel/families.ts';

/** Endpoints of the contract that have no record yet. */
export const notBuilt: Readonly<Record<FamilyName, number>> = {
  account: 12,
  'flexible-vps': 88,
  kubernetes: 27,
  dedicated: 25,
  storage: 14,
  datacenter: 20,
  'ip-management': 8,
  monitoring: 9,
  support: 6,
};

interface Exemption {
  /** What the law would name: an endpoint, a table, or a file from `src/` on. */
  readonly subject: string;
  readonly reason: string;
}

export const exemptions = {} as const satisfies Record<string, readonly Exemption[]>;

export type Law = keyof typeof exemptions;

/** The subjects a law finds at fault must be exactly these. */
export function exemptFrom(law: Law): string[] {
  return exemptions[law].map(({ subject }) => subject).sort();
}
