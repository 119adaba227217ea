/** SKUs with names that are fixed in code. A provider sets their prices, but cannot rename them. */
import type { FamilyName } from '../kernel/families.ts';
import type { Billing, Unit } from './price-entry.ts';

/** A set of locations where a SKU is sold; the price list must have a price for each of them. */
export type Market =
  | 'vps'
  | 'custom_size'
  | 'vpn'
  | 'ipv6'
  | 'kubernetes'
  | 'object_storage'
  | 'dedicated'
  | 'sites'
  | 'everywhere';

export interface NamedSku {
  readonly sku: string;
  readonly billing: Billing;
  readonly unit: Unit;
  readonly market: Market;
  readonly family: FamilyName;
  /** The resource type has no endpoints yet, so its price may be missing. */
  readonly isPlanned: boolean;
}

const PLANNED: ReadonlySet<string> = new Set(['vps.iso', 'ip.ipv4-subnet', 'ip.ipv6']);

const families: Readonly<Record<Market, FamilyName>> = {
  vps: 'flexible-vps',
  custom_size: 'flexible-vps',
  vpn: 'flexible-vps',
  ipv6: 'flexible-vps',
  kubernetes: 'kubernetes',
  object_storage: 'storage',
  dedicated: 'dedicated',
  sites: 'datacenter',
  everywhere: 'monitoring',
};

function named(market: Market, billing: Billing, unit: Unit, ...skus: string[]): NamedSku[] {
  const family = families[market];
  return skus.map((sku) => ({ sku, billing, unit, market, family, isPlanned: PLANNED.has(sku) }));
}

export const namedSkus: readonly NamedSku[] = [
  ...named(
    'vps',
    'hourly_capped',
    'gb_month',
    'vps.disk-extra',
    'vps.snapshot',
    'vps.backup',
    'vps.image',
    'vps.iso',
  ),
  ...named('vps', 'hourly_capped', 'hour', 'ip.ipv4', 'ip.ipv4-subnet'),
  ...named('vps', 'metered', 'gb', 'traffic.out'),
  ...named('custom_size', 'hourly_capped', 'hour', 'vps.custom-vcpu', 'vps.custom-memory'),
  ...named('custom_size', 'hourly_capped', 'gb_month', 'vps.custom-disk'),
  ...named('vpn', 'hourly_capped', 'hour', 'vpn.gateway'),
  ...named('vpn', 'metered', 'gb', 'vpn.traffic-out'),
  ...named('ipv6', 'hourly_capped', 'hour', 'ip.ipv6'),
  ...named('kubernetes', 'hourly_capped', 'hour', 'k8s.load-balancer'),
  ...named('object_storage', 'metered', 'gb_month', 's3.storage'),
  ...named('object_storage', 'metered', 'gb', 's3.egress'),
  ...named('object_storage', 'metered', 'million_requests', 's3.requests-read', 's3.requests-write'),
  ...named('dedicated', 'monthly', 'month', 'dedicated.ipv4'),
  ...named('dedicated', 'metered', 'gb', 'dedicated.traffic-out'),
  ...named('dedicated', 'metered', 'item', 'dedicated.traffic-p95'),
  ...named('sites', 'metered', 'minute', 'hands.standard', 'hands.expedited', 'hands.emergency'),
  ...named('everywhere', 'monthly', 'item', 'monitoring.metric', 'monitoring.uptime'),
  ...named('everywhere', 'monthly', 'item', 'monitoring.uptime-fast', 'monitoring.uptime-region'),
];
