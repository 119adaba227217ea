/** Checks that every product has a price at each location where it is sold, with the billing and unit it requires. */
import { nearest } from '../../kernel/did-you-mean.ts';
import type { FamilyName } from '../../kernel/families.ts';
import type { Draft, Entry } from '../draft.ts';
import type { Report } from '../fault.ts';
import { type Market, namedSkus } from '../named-skus.ts';
import type { Billing, PriceEntry, Unit } from '../price-entry.ts';
import { instant, rowFor } from '../price-entry.ts';
import { offers } from './sold-families.ts';

interface Sale {
  readonly path: string;
  readonly sku: string;
  readonly billing: Billing;
  readonly unit: Unit;
  /** `null` for products that are sold without a location. */
  readonly location: string | null;
  readonly family: FamilyName;
  /** Its price may be missing. */
  readonly isPlanned?: boolean;
}

const PRICES = '/catalogue/prices';

export function checkCoverage(draft: Draft, report: Report, now: Date): void {
  const known = draft.names('prices', 'sku');
  if (known === null) return;
  const entries = draft.entries('prices');
  const told = new Set<string>();
  const tell: Report = (path, message, fix) => {
    if (!told.has(message)) report(path, message, fix);
    told.add(message);
  };
  for (const sale of sales(draft)) {
    if (!known.has(sale.sku)) {
      // What cannot be bought needs no price.
      if (sale.isPlanned || !offers(draft, sale.family)) continue;
      const meant = nearest(sale.sku, known);
      const fix = meant ? `Did you mean ${meant}?` : 'Add an entry for it under catalogue.prices.';
      tell(sale.path, `${sale.sku} is not in the price list.`, fix);
    } else
      checkSale(
        sale,
        entries.filter(({ value }) => value.sku === sale.sku),
        tell,
        now,
      );
  }
}

function checkSale(sale: Sale, entries: readonly Entry<PriceEntry>[], tell: Report, now: Date): void {
  const until = ({ value }: Entry<PriceEntry>): number =>
    value.valid_until === null ? Number.POSITIVE_INFINITY : instant(value.valid_until);
  const current = entries.filter((entry) => until(entry) > now.getTime());
  if (entries.length > 0 && !current.some(({ value }) => instant(value.valid_from) <= now.getTime())) {
    const fix = 'Change valid_from or valid_until so that one entry covers today.';
    tell(`${entries[0]?.path}/valid_from`, `${sale.sku} is sold but no price of it is valid today.`, fix);
  }
  for (const { path, value } of current) {
    if (value.billing !== sale.billing || value.unit !== sale.unit) {
      const message = `${sale.sku} must be billed ${sale.billing} per ${sale.unit}.`;
      // If the catalogue entry chose the SKU, report that entry. If the SKU name is fixed in code, report its price.
      if (sale.path === PRICES) tell(`${path}/billing`, message, 'Correct billing and unit.');
      else
        tell(
          sale.path,
          message,
          `It is ${value.billing} per ${value.unit}; name another SKU or correct that one.`,
        );
    } else if (!rowFor(value.prices, sale.location)) {
      const place = sale.location ?? 'everywhere (no location)';
      const fix = `Add a row for ${place}, or one without location.`;
      tell(`${path}/prices`, `${sale.sku} is sold in ${place} but has no price there.`, fix);
    }
  }
}

function* sales(draft: Draft): Generator<Sale> {
  const hourly = { billing: 'hourly_capped', unit: 'hour', family: 'flexible-vps' } as const;
  const storage = { ...hourly, unit: 'gb_month' } as const;
  const monthly = { billing: 'monthly', unit: 'month' } as const;
  const plans = draft.entries('plans');
  for (const { path, value } of plans) {
    for (const location of value.locations)
      yield { path: `${path}/sku`, sku: value.sku, ...hourly, location };
  }
  const market = marketsOf(draft);
  for (const { path, value } of draft.entries('images')) {
    if (value.licence_sku === null) continue;
    for (const location of market('vps')) {
      yield { path: `${path}/licence_sku`, sku: value.licence_sku, ...hourly, location };
    }
  }
  for (const { path, value } of draft.entries('volume_tiers')) {
    for (const location of value.locations)
      yield { path: `${path}/sku`, sku: value.sku, ...storage, location };
  }
  for (const { path, value } of draft.entries('kubernetes/tiers')) {
    for (const location of market('kubernetes')) {
      yield { path: `${path}/sku`, sku: value.sku, ...hourly, family: 'kubernetes', location };
    }
  }
  for (const sale of metalSales(draft)) yield { ...sale, ...monthly };
  for (const { market: where, ...named } of namedSkus) {
    for (const location of market(where)) yield { path: PRICES, ...named, location };
  }
}

function* metalSales(draft: Draft): Generator<Omit<Sale, 'billing' | 'unit'>> {
  const sites = draft.entries('datacenter/sites');
  const locationOf = new Map(sites.map(({ value }) => [value.slug, value.location]));
  for (const { path, value } of sites) {
    const { location } = value;
    for (const [index, { terms }] of value.cross_connects.entries()) {
      for (const [nth, { sku }] of terms.entries()) {
        const at = `${path}/cross_connects/${index}/terms/${nth}/sku`;
        yield { path: at, sku, location, family: 'datacenter' };
      }
    }
  }
  const family = 'dedicated';
  const systems = draft.entries('dedicated/operating_systems');
  for (const { path, value } of draft.entries('dedicated/products')) {
    const places = value.sites.flatMap(({ site }) => locationOf.get(site) ?? []);
    for (const location of places) {
      for (const [nth, { sku }] of value.terms.entries())
        yield { path: `${path}/terms/${nth}/sku`, sku, location, family };
      for (const [nth, { sku }] of value.uplinks.entries()) {
        if (sku !== null) yield { path: `${path}/uplinks/${nth}/sku`, sku, location, family };
      }
      for (const system of systems) {
        const { slug, licence_sku: sku } = system.value;
        if (sku === null || !value.operating_systems.includes(slug)) continue;
        yield { path: `${system.path}/licence_sku`, sku, location, family };
      }
    }
  }
}

/** The locations of each market. Entries with an invalid shape are left out. */
function marketsOf(draft: Draft): (market: Market) => readonly (string | null)[] {
  const locations = draft.entries('locations').map(({ value }) => value);
  const plans = draft.entries('plans');
  const sites = draft.entries('datacenter/sites');
  const products = draft.entries('dedicated/products');
  const regions = draft.entries('object_storage/regions');
  const { custom_plan, kubernetes } = draft.file.catalogue ?? {};
  const custom = draft.isSound('/catalogue/custom_plan') ? (custom_plan?.locations ?? []) : [];
  const machines = distinct([...plans.flatMap(({ value }) => value.locations), ...custom]);
  const siteLocation = new Map(sites.map(({ value }) => [value.slug, value.location]));
  const places: Record<Market, readonly (string | null)[]> = {
    vps: machines,
    custom_size: custom,
    vpn: locations.filter(({ features }) => features.includes('vpn')).map(({ slug }) => slug),
    ipv6: locations.filter(({ features }) => features.includes('ipv6')).map(({ slug }) => slug),
    kubernetes: draft.isSound('/catalogue/kubernetes/regions') ? (kubernetes?.regions ?? []) : [],
    object_storage: regions.map(({ value }) => value.location),
    dedicated: distinct(
      products.flatMap(({ value }) => value.sites.flatMap(({ site }) => siteLocation.get(site) ?? [])),
    ),
    sites: distinct(sites.map(({ value }) => value.location)),
    everywhere: [null],
  };
  return (market) => places[market];
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
