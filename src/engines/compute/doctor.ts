/** The compute part of `doctor`: checks whether the engine of a location supports what the location sells. The sandbox supports everything. */
import { parseCidr } from '../../kernel/net/cidr.ts';
import type { Examination } from '../../kernel/registry.ts';
import type { Catalogue, Location } from '../../provider/catalogue.ts';
import { examineIncus, type Sold } from './incus/doctor.ts';
import { readSettings } from './incus/settings.ts';
import { type ComputeSettings, computeOf } from './settings.ts';

/** What the location sells today. */
function soldIn(catalogue: Catalogue, slug: string, certificateFile: string | null): Sold {
  const isSold = ({ removed_at }: { removed_at: string | null }): boolean =>
    removed_at === null || Date.parse(removed_at) > Date.now();
  const plans = catalogue.plans.filter((plan) => plan.locations.includes(slug) && isSold(plan));
  const [smallest] = plans.toSorted((a, b) => a.memory_mb - b.memory_mb || a.disk_gb - b.disk_gb);
  return {
    location: slug,
    architectures: catalogue.locations.find((location) => location.slug === slug)?.architectures ?? [],
    pools: catalogue.address_pools
      .filter(({ location, purpose }) => location === slug && purpose === 'single')
      .map(({ cidr }) => ({ cidr, version: parseCidr(cidr)?.cidr.base.family ?? 4 })),
    images: catalogue.images.filter(isSold).map(({ slug, architecture, os }) => ({
      slug,
      architecture,
      distribution: os.distribution,
      version: os.version,
    })),
    isos: catalogue.isos,
    smallest: smallest
      ? { vcpus: smallest.vcpus, memoryMb: smallest.memory_mb, diskGb: smallest.disk_gb }
      : null,
    certificateFile,
  };
}

export async function examineCompute(
  given: ComputeSettings,
  { slug }: Pick<Location, 'slug'>,
  catalogue: Catalogue,
): Promise<readonly Examination[]> {
  const compute = computeOf(given);
  if (compute.driver !== 'incus') return [];
  const sold = soldIn(catalogue, slug, compute.client?.certificate ?? null);
  return examineIncus(readSettings(compute), sold);
}
