/** What we sell, in the order of the contract. A new family is one line here. */
import type { Family } from '../kernel/registry.ts';
import { account } from './account/index.ts';
import { datacenterPrices } from './datacenter/prices.ts';
import { dedicatedPrices } from './dedicated/prices.ts';
import { flexibleVps } from './flexible-vps/index.ts';
import { ipManagement } from './ip-management/index.ts';
import { kubernetesPrices } from './kubernetes/prices.ts';
import { monitoringPrices } from './monitoring/prices.ts';
import { storagePrices } from './storage/prices.ts';
import { support } from './support/index.ts';

export const families: readonly Family[] = [account, flexibleVps, ipManagement, support];

/** Families that have no endpoints yet. Estimates and the price list already include their resource types. */
export const unbuiltFamilies: readonly Pick<Family, 'name' | 'pricedTypes'>[] = [
  { name: 'kubernetes', pricedTypes: kubernetesPrices },
  { name: 'dedicated', pricedTypes: dedicatedPrices },
  { name: 'storage', pricedTypes: storagePrices },
  { name: 'datacenter', pricedTypes: datacenterPrices },
  { name: 'monitoring', pricedTypes: monitoringPrices },
];
