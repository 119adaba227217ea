/** The priced types of the family: cables between racks, and the work of technicians in the data center. */
import { ONE } from '../../kernel/micro.ts';
import { OneOf, Shape, Slug, Type } from '../../kernel/schema.ts';
import { count } from '../../money/prices/bill.ts';
import { IDENTITY, type PricedTypes, pricedType } from '../../money/prices/priced-type.ts';
import { termOf } from '../../money/prices/term.ts';
import { crossConnectMedia } from '../../provider/metal.ts';
import { distinct, namedSales, soldIn } from '../../provider/sale.ts';

const crossConnect = pricedType({
  family: 'datacenter',
  place: 'site',
  configuration: Shape({
    site: Slug,
    media: OneOf(crossConnectMedia),
    strands: Type.Optional(Type.Unsafe<number>({ type: 'integer', enum: [1, 2, 4, 8, 12, 24] })),
    term_months: Type.Optional(Type.Unsafe<number>({ type: 'integer', enum: [1, 12, 24, 36] })),
  }),
  ignored: [
    ...IDENTITY,
    'connector',
    'a_side',
    'z_side',
    'loa',
    'light_test',
    'patch_to_device',
    'requested_on',
    'reference',
  ],
  sales: (draft) =>
    draft.entries('datacenter/sites').flatMap(({ path, value }) =>
      value.cross_connects.flatMap(({ terms }, index) =>
        terms.flatMap(({ sku }, nth) => {
          const at = `${path}/cross_connects/${index}/terms/${nth}/sku`;
          return soldIn([value.location], { path: at, sku, billing: 'monthly', unit: 'month' });
        }),
      ),
    ),
  draw(configuration, bill) {
    const site = bill.site(configuration.site, '/site');
    if (!site) return;
    const offer = site.cross_connects.find(({ media }) => media === configuration.media);
    if (!offer) {
      const media = site.cross_connects.map((each) => each.media).join(', ');
      bill.fail('/media', 'incompatible', `${site.slug} has ${media || 'no cross-connects'}.`);
      return;
    }
    const term = termOf(offer.terms, configuration.term_months ?? 1);
    const strands = configuration.strands ?? 2;
    const description = `Cross-connect ${offer.media}, ${site.slug}, ${strands} strands`;
    // Strands are sold in pairs, so an odd strand is charged as a whole pair.
    bill.charge(term.sku, site.location, { description, each: count(Math.ceil(strands / 2)) });
  },
});

const remoteHands = pricedType({
  family: 'datacenter',
  place: 'site',
  configuration: Shape({
    site: Slug,
    priority: Type.Optional(OneOf(['standard', 'expedited', 'emergency'])),
  }),
  ignored: [
    ...IDENTITY,
    'rack_id',
    'category',
    'asset_id',
    'confirm_serial_number',
    'summary',
    'instructions',
    'steps',
    'schedule',
    'max_minutes',
    'call_before_start',
    'photos',
    'shipment_request_id',
    'documents',
    'reference',
  ],
  usage: ['minutes'],
  sales: (draft) =>
    namedSales(
      distinct(draft.entries('datacenter/sites').map(({ value }) => value.location)),
      { billing: 'metered', unit: 'minute' },
      'hands.standard',
      'hands.expedited',
      'hands.emergency',
    ),
  draw(configuration, bill) {
    const site = bill.site(configuration.site, '/site');
    if (!site) return;
    const priority = configuration.priority ?? 'standard';
    const increment = count(site.remote_hands.increment_minutes);
    const each = bill.usage('minutes') ?? 0n;
    if (bill.usage('minutes') === undefined) {
      bill.assumptions.add('Remote hands: no minutes counted (usage.minutes left out)');
    }
    const billableEach = ((each + increment - 1n) / increment) * increment;
    const description = `Remote hands ${priority}, ${site.slug}, in steps of ${increment / ONE} minutes`;
    bill.charge(`hands.${priority}`, site.location, { description, each, billableEach, expected: true });
  },
});

export const datacenterPrices: PricedTypes = { cross_connect: crossConnect, remote_hands: remoteHands };
