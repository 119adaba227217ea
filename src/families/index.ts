/** What we sell, in the order of the contract. A new family is one line here. */
import type { Family } from '../kernel/registry.ts';
import { account } from './account/index.ts';
import { datacenterPrices } from './datacenter/prices.ts';
import { dedicatedPrices } from './dedicated/prices.ts';
import { flexibleVps } from './flexible-vps/index.ts';
import { ipManagementPrices } from './ip-management/prices.ts';
import { kubernetesPrices } from './kubernetes/prices.ts';
import { monitoringPrices } from './monitoring/prices.ts';
import { storagePrices } from './storage/prices.ts';
import { supportPrices } from './support/prices.ts';

export const families: readonly Family[] = [account, flexibleVps];

/** Families that have no endpoints yet. Estimates and the price list already include their resource types. */
export const unbuiltFamilies: readonly Pick<Family, 'name' | 'pricedTypes'>[] = [
  { name: 'kubernetes', pricedTypes: kubernetesPrices },
  { name: 'dedicated', pricedTypes: dedicatedPrices },
  { name: 'storage', pricedTypes: storagePrices },
  { name: 'datacenter', pricedTypes: datacenterPrices },
  { name: 'ip-management', pricedTypes: ipManagementPrices },
  { name: 'monitoring', pricedTypes: monitoringPrices },
  { name: 'support', pricedTypes: supportPrices },
];
