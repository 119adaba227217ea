/** Which types the price list has to cover: a type can be bought as soon as its family has the resource. */
import type { Family } from '../../kernel/registry.ts';
import type { SoldType } from '../../provider/sale.ts';
import './tariff.ts';

type Seller = Pick<Family, 'name' | 'pricedTypes' | 'resources'>;

export function soldTypesOf(families: readonly Seller[]): SoldType[] {
  return families.flatMap(({ name: family, pricedTypes = {}, resources = [] }) =>
    Object.entries(pricedTypes).map(([type, { sales }]) => ({
      family,
      isBuilt: resources.some((resource) => (resource.pricedAs ?? resource.type) === type),
      sales,
    })),
  );
}
