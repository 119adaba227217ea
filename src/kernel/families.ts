/** The nine product families and the number of endpoints each has when it is complete, as the contract defines it. */
export const familySizes = {
  account: 27,
  'flexible-vps': 88,
  kubernetes: 27,
  dedicated: 25,
  storage: 14,
  datacenter: 20,
  'ip-management': 8,
  monitoring: 9,
  support: 6,
} as const;

export type FamilyName = keyof typeof familySizes;

/** The families that have endpoints. Only their products can be bought, so only these have to be priced. */
export const builtFamilies: readonly FamilyName[] = ['account', 'flexible-vps'];

export const familyNames = Object.keys(familySizes) as readonly FamilyName[];
