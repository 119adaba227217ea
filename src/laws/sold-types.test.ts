/** Whatever customers can have is priced, or is declared to be free: nothing is free because a price was forgotten. */
import { describe, expect, it } from 'vitest';
import { demoProvider, providerParts } from '../configuration.ts';
import { families, unbuiltFamilies } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { Draft } from '../provider/draft.ts';
import { PRICES } from '../provider/sale.ts';
import { shipped, sources } from './sources.ts';

const registry = buildRegistry(families);
const pricedTypes = new Map(
  [...families, ...unbuiltFamilies].flatMap((family) => Object.entries(family.pricedTypes ?? {})),
);
const declared = new Map(
  families.flatMap(({ resources = [] }) => resources).map((each) => [each.type, each]),
);

/** What the inventory lists, and what calls create. */
const owned = [
  ...new Set([
    ...registry.resourceTypes.keys(),
    ...registry.endpoints.flatMap(({ resource }) => (resource.role === 'create' ? [resource.name] : [])),
  ]),
].sort();

const draft = new Draft(demoProvider(), []);

describe.each(owned)('the resource type %s', (type) => {
  const pricedAs = declared.get(type)?.pricedAs ?? type;

  it('has a priced type in prices.ts of its family, or pricedAs names that of another resource', () => {
    expect([type, [...pricedTypes.keys()]]).toEqual([type, expect.arrayContaining([pricedAs])]);
  });

  it('is sold under SKUs of the price list, or is declared with freeType', () => {
    const { sales, free } = pricedTypes.get(pricedAs) ?? { sales: () => [], free: null };
    expect([type, free !== null || sales(draft).length > 0]).toEqual([type, true]);
  });
});

describe('the price list', () => {
  it('must cover every type that a family has built', () => {
    const built = providerParts.soldTypes.filter(({ isBuilt }) => isBuilt).map(({ sales }) => sales);
    const expected = owned.map((type) => pricedTypes.get(declared.get(type)?.pricedAs ?? type)?.sales);
    expect(expected.filter((sales) => sales === undefined || !built.includes(sales))).toEqual([]);
  });

  it('of the demo provider has each SKU that a priced type names', () => {
    const listed = new Set(demoProvider().catalogue.prices.map(({ sku }) => sku));
    const sold = [...pricedTypes.values()].flatMap(({ sales }) => sales(draft).map(({ sku }) => sku));
    expect(sold.filter((sku) => !listed.has(sku))).toEqual([]);
  });

  it('has SKUs whose names stand only in the folders of families', () => {
    const sales = [...pricedTypes.values()].flatMap(({ sales }) => sales(draft));
    const named = sales.filter(({ path }) => path === PRICES).map(({ sku }) => `'${sku}'`);
    const wrong = shipped
      .filter(({ path }) => !path.startsWith('src/families/'))
      .flatMap(({ path, text }) => named.filter((sku) => text.includes(sku)).map((sku) => `${path} ${sku}`));
    expect(named).toContain("'vps.iso'");
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('must cover each SKU that the code of a priced type charges by name', () => {
    const sold = new Set(
      [...pricedTypes.values()].flatMap(({ sales }) => sales(draft).map(({ sku }) => sku)),
    );
    const limits = new Set<string>(demoProvider().catalogue.limits.map(({ id }) => id));
    const charged = sources
      .filter(({ path }) => /^src\/families\/[^/]+\/prices(\/[^/]+)?\.ts$/.test(path))
      .flatMap(({ text }) => [...text.matchAll(/'([a-z0-9]+\.[a-z0-9-]+)'/g)])
      .map(([, sku = '']) => sku)
      .filter((sku) => !limits.has(sku) && !sku.startsWith('free.'));
    expect(charged.length).toBeGreaterThan(20);
    expect([...new Set(charged)].filter((sku) => !sold.has(sku))).toEqual([]);
  });
});
