/** The families that use engines, each with the functions that compare its rows with its engines. */
import { families } from '../families/index.ts';
import type { Family } from '../kernel/registry.ts';
import type { FamilyAgreement } from './fixture.ts';
import { fixtures } from './fixtures.ts';

export interface EngineFamily {
  readonly family: Family;
  readonly agreement: FamilyAgreement;
}

function withAgreement(family: Family): EngineFamily {
  const { name } = family;
  const agreement = fixtures.find((fixture) => fixture.agreement?.family === name)?.agreement;
  if (agreement === undefined)
    throw new Error(`${name} uses engines: add its \`agreement\` to src/families/${name}/fixture.ts.`);
  return { family, agreement };
}

export const engineFamilies: readonly EngineFamily[] = families
  .filter(({ ports = [] }) => ports.length > 0)
  .map(withAgreement);
