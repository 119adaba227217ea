import { type FamilyName, familyContracts } from '../contract/families.ts';
import { type Meanings, Named, OneOf } from './schema.ts';

export type { FamilyName } from '../contract/families.ts';

export const familyNames: readonly FamilyName[] = familyContracts.map(({ name }) => name);

/** All families but the account itself. */
export const productNames = familyNames.filter((name) => name !== 'account');

/** The number of endpoints that each family has when it is complete. */
export const familySizes = Object.fromEntries(
  familyContracts.map(({ name, endpoints }) => [name, endpoints]),
) as Readonly<Record<FamilyName, number>>;

export const Family = Named(
  'Family',
  OneOf<FamilyName>(
    Object.fromEntries(familyContracts.map(({ name, meaning }) => [name, meaning])) as Meanings<FamilyName>,
    { description: 'A family of products; the first part of the path of its calls.' },
  ),
);
