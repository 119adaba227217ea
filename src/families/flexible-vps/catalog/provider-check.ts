/**
 * Checks that what is on sale can be bought: a machine with default settings needs an engine, an image that fits its
 * plan, a public IPv4 address and an IPv6 prefix. Without this check, every such call would be refused at run time.
 */
import { parseCidr } from '../../../kernel/net/cidr.ts';
import type { CustomPlan, Image, Plan } from '../../../provider/catalogue.ts';
import type { Draft, Entry } from '../../../provider/draft.ts';
import type { Report } from '../../../provider/fault.ts';

/** A plan, or the custom plan with its largest size. */
interface Offer {
  readonly path: string;
  readonly name: string;
  readonly architecture: string;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly locations: readonly string[];
}

export function checkOffers(draft: Draft, report: Report, now: Date): void {
  const sold = offersOf(draft, now);
  checkProduct(draft, sold, report);
  checkEngines(draft, sold, report);
  checkAddresses(draft, sold, report);
  checkImages(draft, sold, report, now);
}

const isSold = ({ removed_at }: Plan | Image, now: Date): boolean =>
  removed_at === null || Date.parse(removed_at) > now.getTime();

function offersOf(draft: Draft, now: Date): Offer[] {
  const plans = draft.entries('plans').filter(({ value }) => isSold(value, now));
  const path = '/catalogue/custom_plan';
  const custom = draft.isSound(path) ? draft.file.catalogue.custom_plan : null;
  return [
    ...plans.map(({ path, value }) => ({
      path,
      name: value.slug,
      architecture: value.architecture,
      memoryMb: value.memory_mb,
      diskGb: value.disk_gb,
      locations: value.locations,
    })),
    ...(custom === null ? [] : [{ path, ...largest(custom) }]),
  ];
}

const largest = ({ architecture, locations, limits }: CustomPlan): Omit<Offer, 'path'> => ({
  name: 'the custom plan',
  architecture,
  memoryMb: limits.memory_mb.max,
  diskGb: limits.disk_gb.max,
  locations,
});

/** Nothing can be said about lists with an invalid shape, which have their own faults. */
const isWhole = (draft: Draft, list: string): boolean => draft.isSound(`/catalogue/${list}`);

function checkProduct(draft: Draft, sold: readonly Offer[], report: Report): void {
  if (sold.length > 0 || !isWhole(draft, 'plans') || !isWhole(draft, 'custom_plan')) return;
  const product = draft.entries('products').find(({ value }) => value.family === 'flexible-vps');
  if (product === undefined) return;
  const fix = 'Add plans under catalogue.plans, or take the product out.';
  report(product.path, 'Flexible VPS is offered, but there is no plan to buy.', fix);
}

function checkEngines(draft: Draft, sold: readonly Offer[], report: Report): void {
  if (!isWhole(draft, 'locations')) return;
  const engines = new Set(
    draft.entries('locations').flatMap(({ value }) => (value.compute === null ? [] : [value.slug])),
  );
  for (const { path, name, locations } of sold) {
    if (locations.some((slug) => engines.has(slug))) continue;
    const message = `No location of ${name} has an engine (compute), so no machine can be created from it.`;
    report(`${path}/locations`, message, 'Add compute to a location, or take the plan out.');
  }
}

const versions = [
  { version: 4, what: 'IPv4 addresses', example: 'cidr: 203.0.113.0/24, purpose: single' },
  { version: 6, what: 'IPv6 prefixes', example: 'cidr: "2001:db8::/40", purpose: single' },
] as const;

function checkAddresses(draft: Draft, sold: readonly Offer[], report: Report): void {
  if (!isWhole(draft, 'address_pools')) return;
  const pools = draft.entries('address_pools').filter(({ value }) => value.purpose === 'single');
  for (const { path, value } of draft.entries('locations')) {
    const { slug, compute } = value;
    if (compute === null || !sold.some(({ locations }) => locations.includes(slug))) continue;
    for (const { version, what, example } of versions) {
      const has = pools.some(
        (pool) => pool.value.location === slug && parseCidr(pool.value.cidr)?.cidr.base.family === version,
      );
      if (has) continue;
      const message = `Plans are sold in ${slug}, but it has no pool of ${what}, and a new machine gets one unless the customer declines it.`;
      report(
        `${path}/slug`,
        message,
        `Add a pool such as { slug: ${slug}-ipv${version}, location: ${slug}, ${example} } to catalogue.address_pools.`,
      );
    }
  }
}

const fits = (image: Image, { architecture, memoryMb, diskGb }: Offer): boolean =>
  image.architecture === architecture && image.min_disk_gb <= diskGb && image.min_memory_mb <= memoryMb;

function checkImages(draft: Draft, sold: readonly Offer[], report: Report, now: Date): void {
  if (!isWhole(draft, 'images') || !isWhole(draft, 'plans') || !isWhole(draft, 'custom_plan')) return;
  const images: Entry<Image>[] = draft.entries('images').filter(({ value }) => isSold(value, now));
  for (const offer of sold) {
    if (images.some(({ value }) => fits(value, offer))) continue;
    const size = `${offer.architecture}, ${offer.memoryMb} MB of memory and ${offer.diskGb} GB of disk`;
    const fix = 'Add an image that fits to catalogue.images, or take the plan out.';
    report(offer.path, `No image fits ${offer.name} (${size}).`, fix);
  }
  for (const { path, value } of sold.length === 0 ? [] : images) {
    if (sold.some((offer) => fits(value, offer))) continue;
    const needs = `${value.architecture}, at least ${value.min_memory_mb} MB of memory and ${value.min_disk_gb} GB of disk`;
    const fix = 'Add a plan for it, correct its needs, or take the image out.';
    report(path, `${value.slug} fits no plan: it needs ${needs}.`, fix);
  }
}
