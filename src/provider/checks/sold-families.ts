/** Which families are on sale: those that the program has built and that `catalogue.products` lists. */
import { builtFamilies, type FamilyName } from '../../kernel/families.ts';
import type { Draft } from '../draft.ts';

export function offers(draft: Draft, family: FamilyName): boolean {
  if (!builtFamilies.includes(family)) return false;
  const listed = draft.names('products', 'family');
  // A list with an invalid shape has its own fault.
  return listed === null || listed.has(family);
}
