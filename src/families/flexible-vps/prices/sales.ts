/** What the price list must have for Flexible VPS: the SKUs of plans, licences and tiers, and those named in code. */
import type { Draft } from '../../../provider/draft.ts';
import { distinct, namedSales, type Sale, type Sales, soldIn } from '../../../provider/sale.ts';

const perHour = { billing: 'hourly_capped', unit: 'hour' } as const;
const perGbMonth = { billing: 'hourly_capped', unit: 'gb_month' } as const;
const perGb = { billing: 'metered', unit: 'gb' } as const;

/** Where machines of a size that the customer chooses are sold. */
function customLocations(draft: Draft): readonly string[] {
  const custom = '/catalogue/custom_plan';
  return draft.isSound(custom) ? (draft.file.catalogue?.custom_plan?.locations ?? []) : [];
}

/** Where machines are sold. */
export const machineLocations = (draft: Draft): readonly string[] =>
  distinct([...draft.entries('plans').flatMap(({ value }) => value.locations), ...customLocations(draft)]);

/** Where a feature of locations is offered. */
export const locationsWith = (draft: Draft, feature: 'vpn' | 'ipv6'): readonly string[] =>
  draft
    .entries('locations')
    .filter(({ value }) => value.features.includes(feature))
    .map(({ value }) => value.slug);

export const machineSales: Sales = (draft) => [
  ...draft
    .entries('plans')
    .flatMap(({ path, value }) =>
      soldIn(value.locations, { path: `${path}/sku`, sku: value.sku, ...perHour }),
    ),
  ...draft.entries('images').flatMap(({ path, value }): Sale[] => {
    const { licence_sku: sku } = value;
    return sku === null
      ? []
      : soldIn(machineLocations(draft), { path: `${path}/licence_sku`, sku, ...perHour });
  }),
  ...namedSales(machineLocations(draft), perGbMonth, 'vps.disk-extra', 'vps.snapshot', 'vps.backup'),
  ...namedSales(machineLocations(draft), perHour, 'ip.ipv4'),
  ...namedSales(machineLocations(draft), perGb, 'traffic.out'),
  ...namedSales(customLocations(draft), perHour, 'vps.custom-vcpu', 'vps.custom-memory'),
  ...namedSales(customLocations(draft), perGbMonth, 'vps.custom-disk'),
];

export const volumeSales: Sales = (draft) =>
  draft
    .entries('volume_tiers')
    .flatMap(({ path, value }) =>
      soldIn(value.locations, { path: `${path}/sku`, sku: value.sku, ...perGbMonth }),
    );

/** Data that is stored apart from the disk of a machine, and its downloads. */
export const copySales =
  (sku: string): Sales =>
  (draft) => [
    ...namedSales(machineLocations(draft), perGbMonth, sku),
    ...namedSales(machineLocations(draft), perGb, 'traffic.out'),
  ];

export const gatewaySales: Sales = (draft) => [
  ...namedSales(locationsWith(draft, 'vpn'), perHour, 'vpn.gateway'),
  ...namedSales(locationsWith(draft, 'vpn'), perGb, 'vpn.traffic-out'),
];
