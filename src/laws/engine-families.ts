/** The families that use engines, each with the functions that compare its rows with its engines. */
import { families } from '../families/index.ts';
import type { Family } from '../kernel/registry.ts';
import type { FamilyAgreement } from './family-agreement.ts';
import { vpsAgreement } from './vps-agreement.ts';

const agreements: Readonly<Record<string, FamilyAgreement>> = { 'flexible-vps': vpsAgreement };

export interface EngineFamily {
  readonly family: Family;
  readonly agreement: FamilyAgreement;
}

function withAgreement(family: Family): EngineFamily {
  const agreement = agreements[family.name];
  if (agreement === undefined)
    throw new Error(`${family.name} uses engines: add its FamilyAgreement to src/laws/engine-families.ts.`);
  return { family, agreement };
}

export const engineFamilies: readonly EngineFamily[] = families
  .filter(({ ports = [] }) => ports.length > 0)
  .map(withAgreement);
