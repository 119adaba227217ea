/** The priced types of the family: metric monitors are free; an uptime monitor costs by interval and regions. */
import { OneOf, Shape, Slug, Type } from '../../kernel/schema.ts';
import { count } from '../../money/prices/bill.ts';
import { IDENTITY, type PricedTypes, pricedType } from '../../money/prices/priced-type.ts';
import { namedSales } from '../../provider/sale.ts';

/** The number of probing regions if the configuration names none. */
const USUAL_REGIONS = 3;

const monitor = pricedType({
  family: 'monitoring',
  place: null,
  configuration: Shape({
    type: OneOf(['metric', 'uptime']),
    probe: Type.Optional(
      Type.Object({
        interval_seconds: Type.Optional(Type.Unsafe<number>({ type: 'integer', enum: [30, 60, 300, 600] })),
        regions: Type.Optional(Type.Array(Slug, { minItems: 1, maxItems: 10, uniqueItems: true })),
      }),
    ),
  }),
  ignored: [...IDENTITY, 'enabled', 'severity', 'condition', 'notify', 'repeat_minutes', 'muted_until'],
  // Monitors are sold without a location.
  sales: () =>
    namedSales(
      [null],
      { billing: 'monthly', unit: 'item' },
      'monitoring.metric',
      'monitoring.uptime',
      'monitoring.uptime-fast',
      'monitoring.uptime-region',
    ),
  draw({ type, probe }, bill) {
    if (type === 'metric' && probe) {
      bill.fail('/probe', 'incompatible', 'A monitor of type metric has a condition, no probe.');
    }
    const known = bill.book.catalogue.monitoring.probe_regions.map(({ slug }) => slug);
    probe?.regions?.forEach((slug, index) => {
      if (!known.includes(slug)) bill.unknown(`/probe/regions/${index}`, 'probe region', slug, known);
    });
    if (!bill.sound) return;
    bill.demand('monitoring.monitors', 1);
    if (type === 'metric') {
      bill.charge('monitoring.metric', null, { description: 'Alert rule', each: count(1) });
      return;
    }
    const interval = probe?.interval_seconds ?? 60;
    const sku = interval < 60 ? 'monitoring.uptime-fast' : 'monitoring.uptime';
    const regions = probe?.regions?.length ?? Math.min(USUAL_REGIONS, known.length);
    bill.charge(sku, null, { description: `Uptime check every ${interval} s`, each: count(1) });
    bill.charge('monitoring.uptime-region', null, { description: 'Probe regions', each: count(regions) });
  },
});

export const monitoringPrices: PricedTypes = { monitor };
