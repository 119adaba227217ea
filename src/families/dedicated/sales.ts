/** What the price list must have for dedicated servers: contract terms, uplinks and licences, and SKUs named in code. */
import type { Draft } from '../../provider/draft.ts';
import { distinct, namedSales, type Sale, soldIn } from '../../provider/sale.ts';

const perMonth = { billing: 'monthly', unit: 'month' } as const;

export function serverSales(draft: Draft): Sale[] {
  const locationOf = new Map(
    draft.entries('datacenter/sites').map(({ value }) => [value.slug, value.location]),
  );
  const systems = draft.entries('dedicated/operating_systems');
  const products = draft.entries('dedicated/products').map(({ path, value }) => {
    const places = value.sites.flatMap(({ site }) => locationOf.get(site) ?? []);
    return { path, value, places };
  });
  const chosen = products.flatMap(({ path, value, places }) => [
    ...value.terms.flatMap(({ sku }, nth) =>
      soldIn(places, { path: `${path}/terms/${nth}/sku`, sku, ...perMonth }),
    ),
    ...value.uplinks.flatMap(({ sku }, nth) =>
      sku === null ? [] : soldIn(places, { path: `${path}/uplinks/${nth}/sku`, sku, ...perMonth }),
    ),
    ...systems.flatMap((system) => {
      const { slug, licence_sku: sku } = system.value;
      if (sku === null || !value.operating_systems.includes(slug)) return [];
      return soldIn(places, { path: `${system.path}/licence_sku`, sku, ...perMonth });
    }),
  ]);
  const everywhere = distinct(products.flatMap(({ places }) => places));
  return [
    ...chosen,
    ...namedSales(everywhere, perMonth, 'dedicated.ipv4'),
    ...namedSales(everywhere, { billing: 'metered', unit: 'gb' }, 'dedicated.traffic-out'),
    ...namedSales(everywhere, { billing: 'metered', unit: 'item' }, 'dedicated.traffic-p95'),
  ];
}
