/** The priced types of the family: a dedicated server is billed by the month, at the SKU of its contract term. */
import { Nullable, Shape, Slug, type Static, Type } from '../../kernel/schema.ts';
import { type Bill, count } from '../../money/prices/bill.ts';
import { HOURS_PER_MONTH } from '../../money/prices/line.ts';
import { IDENTITY, type PricedTypes, pricedType } from '../../money/prices/priced-type.ts';
import { termOf } from '../../money/prices/term.ts';
import type { DedicatedProduct, Site } from '../../provider/metal.ts';
import { serverSales } from './sales.ts';

const Configuration = Shape({
  product_id: Slug,
  site_preferences: Type.Array(Slug, { minItems: 1, maxItems: 5 }),
  os_id: Type.Optional(Nullable(Slug)),
  uplink_option: Type.Optional(Nullable(Slug)),
  extra_ipv4: Type.Optional(Type.Integer({ minimum: 0, maximum: 16 })),
});

type Configuration = Static<typeof Configuration>;

const dedicatedServer = pricedType({
  family: 'dedicated',
  place: 'site_preferences',
  configuration: Configuration,
  ignored: [...IDENTITY, 'quantity', 'hostnames', 'storage', 'ssh_key_ids', 'justification'],
  usage: ['traffic_out_gb', 'percentile_95_mbps'],
  sales: serverSales,
  draw(configuration, bill) {
    const product = bill.book.products.get(configuration.product_id);
    if (!product) {
      bill.unknown('/product_id', 'product', configuration.product_id, bill.book.products.keys());
      return;
    }
    const site = chooseSite(configuration, product, bill);
    const uplink = findUplink(configuration, product, bill);
    const licence = licenceOf(configuration, product, bill);
    const addresses = configuration.extra_ipv4 ?? 0;
    if (addresses > product.extra_ipv4_max) {
      bill.fail('/extra_ipv4', 'out_of_range', `${product.slug} takes at most ${product.extra_ipv4_max}.`);
    }
    if (!bill.sound || !site || !uplink) return;

    const place = site.location;
    const term = termOf(product.terms, bill.terms.contractMonths);
    const description = `Server ${product.slug}, ${site.slug}${term.months > 1 ? `, ${term.months} months` : ''}`;
    bill.charge(term.sku, place, { description, each: count(1) });
    if (uplink.sku) bill.charge(uplink.sku, place, { description: `Uplink ${uplink.name}`, each: count(1) });
    if (licence)
      bill.charge(licence, place, { description: `Licence, ${configuration.os_id}`, each: count(1) });
    if (addresses > 0) {
      bill.charge('dedicated.ipv4', place, { description: 'Additional IPv4', each: count(addresses) });
    }
    chargeTraffic(bill, product, place);
    if (bill.terms.hoursPerMonth < HOURS_PER_MONTH) {
      bill.assumptions.add('Dedicated servers are billed by the month, whatever the hours');
    }
  },
});

export const dedicatedPrices: PricedTypes = { dedicated_server: dedicatedServer };

/**
 * The site that an order would get: the first preference with enough servers in stock. If there is none, the first
 * preference that sells the product, or else the first preference; the bill then also reports it as unavailable.
 */
function chooseSite(configuration: Configuration, product: DedicatedProduct, bill: Bill): Site | undefined {
  const sold = new Map(product.sites.map(({ site, stock }) => [site, stock]));
  const wanted = configuration.site_preferences.flatMap((slug, index) => {
    if (slug === 'any') return [...sold.keys()];
    return bill.site(slug, `/site_preferences/${index}`) ? [slug] : [];
  });
  const inStock = wanted.find((slug) => (sold.get(slug) ?? 0) >= bill.terms.quantity);
  const chosen = inStock ?? wanted.find((slug) => sold.has(slug)) ?? wanted[0];
  if (chosen === undefined) return undefined;
  if (!sold.has(chosen)) {
    bill.unavailable(`${product.slug} is not sold in ${chosen}.`, '/site_preferences');
  } else if (inStock === undefined) {
    bill.unavailable(`${product.slug} is not in stock in this number.`, '/site_preferences');
  }
  return bill.book.sites.get(chosen);
}

function findUplink({ uplink_option }: Configuration, product: DedicatedProduct, bill: Bill) {
  const uplink = uplink_option
    ? product.uplinks.find(({ slug }) => slug === uplink_option)
    : product.uplinks[0];
  if (!uplink) {
    bill.unknown(
      '/uplink_option',
      'uplink option',
      uplink_option ?? '',
      product.uplinks.map(({ slug }) => slug),
    );
  }
  return uplink;
}

function licenceOf({ os_id }: Configuration, product: DedicatedProduct, bill: Bill): string | null {
  if (!os_id) return null;
  const systems = bill.book.catalogue.dedicated.operating_systems;
  const os = systems.find(({ slug }) => slug === os_id);
  if (!os)
    bill.unknown(
      '/os_id',
      'operating system',
      os_id,
      systems.map(({ slug }) => slug),
    );
  else if (!product.operating_systems.includes(os_id)) {
    bill.fail('/os_id', 'incompatible', `${os_id} does not run on ${product.slug}.`);
  }
  return os?.licence_sku ?? null;
}

function chargeTraffic(bill: Bill, product: DedicatedProduct, place: string): void {
  const percentile = bill.usage('percentile_95_mbps');
  if (percentile !== undefined) {
    const what = { noun: 'Traffic by 95th percentile', unit: 'Mbit/s' };
    bill.chargeUsage('percentile_95_mbps', 'dedicated.traffic-p95', place, what);
  } else if (product.traffic.basis === 'unmetered') {
    bill.assumptions.add(`Traffic of ${product.slug} is not metered`);
  } else {
    const what = { noun: 'Outgoing traffic', unit: 'GB', includedEach: count(product.traffic.included_gb) };
    bill.chargeUsage('traffic_out_gb', 'dedicated.traffic-out', place, what);
  }
}
