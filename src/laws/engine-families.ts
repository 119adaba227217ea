/** The families whose resources live on engines, with what the laws about engines need to know of each. */
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
    throw new Error(`${family.name} uses engines: say in src/laws/ how its rows and its engines agree.`);
  return { family, agreement };
}

export const engineFamilies: readonly EngineFamily[] = families
  .filter(({ ports = [] }) => ports.length > 0)
  .map(withAgreement);
