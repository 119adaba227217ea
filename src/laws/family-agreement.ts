import type { World } from './walk.ts';

/** What only the family can say about its rows and its engines. */
export interface FamilyAgreement {
  disagreements(world: World): Promise<string[]>;
  leftovers(world: World): Promise<string[]>;
  /** Its tables, each with the path of its collection, in the order in which they are deleted. */
  readonly collections: Readonly<Record<string, string>>;
}
