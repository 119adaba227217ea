/** The size of a machine in `updateVm`: which resize the members of a merge patch stand for. */
import { invalid } from '../../../kernel/problems/problem.ts';
import { Resettable } from '../../../kernel/resets.ts';
import { Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { missingSize } from '../vm-creation/body.ts';
import type { VmRow } from '../vms/table.ts';
import { NewDiskGb, NewPlan, OtherCustomSize, type ResizeVm } from './schema.ts';
import { refuseBoth } from './target.ts';

const CustomSizeOrNull = Type.Unsafe<OtherCustomSize | null>({ ...OtherCustomSize, default: null });

export const sizeMembers = {
  plan: Type.Optional(NewPlan),
  custom_size: Type.Optional(Resettable(CustomSizeOrNull)),
  disk_gb: Type.Optional(
    Resettable({
      ...Type.Unsafe<number | null>(NewDiskGb),
      description:
        'The new size of the root disk in GB (2^30 bytes), or null for that of the plan. A disk never shrinks.',
    }),
  ),
};

interface SizeChange {
  readonly plan?: string;
  readonly custom_size?: OtherCustomSize | null;
  readonly disk_gb?: number | null;
}

export const namesSize = ({ plan, custom_size, disk_gb }: SizeChange): boolean =>
  plan !== undefined || custom_size !== undefined || disk_gb !== undefined;

const differs = (wanted: number | undefined, present: number): boolean =>
  wanted !== undefined && wanted !== present;

/** The size that the machine is to have, in the words of `resizeVm`; null if it has that size. */
export function resizeIn({ provider }: Services, row: VmRow, change: SizeChange): ResizeVm | null {
  const { vcpus, memory_mb, disk_gb } = row;
  const isCustom = row.plan === 'custom';
  const { custom_size: sent } = change;
  const own = sent != null && Object.keys(sent).length > 0 ? sent : undefined;
  // A machine with a size of its own shows the plan `custom`.
  const plan = change.plan === 'custom' && (isCustom || own !== undefined) ? undefined : change.plan;
  refuseBoth({ plan, custom_size: own });
  if (sent === null && isCustom && plan === undefined) throw invalid(missingSize({}));
  const slug = plan ?? row.plan;
  const offered = own === undefined ? provider.catalogue.plans.find((each) => each.slug === slug) : undefined;
  const disk = change.disk_gb === null ? offered?.disk_gb : change.disk_gb;
  const isOther =
    slug !== row.plan ||
    (own !== undefined && !isCustom) ||
    differs(own?.vcpus, vcpus) ||
    differs(own?.memory_mb, memory_mb) ||
    differs(own?.disk_gb, disk_gb) ||
    differs(disk, disk_gb);
  if (!isOther) return null;
  const keepsCustom = isCustom && plan === undefined;
  return {
    ...(own !== undefined || keepsCustom ? { custom_size: { vcpus, memory_mb, ...own } } : { plan: slug }),
    ...(disk === undefined ? {} : { disk_gb: disk }),
  };
}
