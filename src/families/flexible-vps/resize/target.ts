/** Computes the target size and price of a resize, and checks that the machine can have it. */
import type { Size } from '../../../engines/compute/port.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { AnyObject } from '../../../kernel/record.ts';
import type { Services } from '../../../kernel/services.ts';
import { placeFaults } from '../catalog/location-faults.ts';
import { leastMemory } from '../catalog/resize-targets.ts';
import { missingSize } from '../vm-creation/body.ts';
import { asBodyErrors, priceVm } from '../vms/inventory.ts';
import { isSameSize, sizeOf } from '../vms/size.ts';
import type { VmRow } from '../vms/table.ts';
import type { ResizeVm } from './schema.ts';

export interface Target {
  readonly plan: string;
  readonly size: Size;
  readonly configuration: Record<string, unknown>;
  /** Whether the location sells this size now. */
  readonly isSold: boolean;
}

const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

function diskOf(body: ResizeVm, row: VmRow): number {
  const own = body.custom_size?.disk_gb;
  if (own !== undefined && body.disk_gb !== undefined && own !== body.disk_gb)
    throw refuse(
      '/disk_gb',
      'mutually_exclusive',
      'disk_gb differs from custom_size.disk_gb; send only one of them.',
    );
  const wanted = body.disk_gb ?? own ?? row.disk_gb;
  if (wanted < row.disk_gb) {
    const pointer = body.disk_gb === undefined ? '/custom_size/disk_gb' : '/disk_gb';
    throw refuse(pointer, 'disk_shrink', `The disk has ${row.disk_gb} GB, and a disk cannot shrink.`);
  }
  return wanted;
}

/** Changes only the size. The source image, which can have a licence fee, stays while the provider lists it. */
export function configurationWith(
  { provider }: Pick<Services, 'provider'>,
  row: VmRow,
  size: WantedSize,
): Record<string, unknown> {
  const { plan: _, custom_size: __, disk_gb: ___, source, ...rest } = row.configuration;
  const image = (source as { image_id?: unknown } | undefined)?.image_id;
  const isListed = provider.catalogue.images.some(({ slug }) => slug === image);
  return { ...rest, ...(isListed ? { source } : {}), ...size };
}

/** Changes only the size of the disk. */
export function configurationWithDisk(
  services: Pick<Services, 'provider'>,
  row: VmRow,
  disk_gb: number,
): Record<string, unknown> {
  const { vcpus, memory_mb, plan } = row;
  const size = plan === 'custom' ? { custom_size: { vcpus, memory_mb, disk_gb } } : { plan, disk_gb };
  return configurationWith(services, row, size);
}

type WantedSize =
  | { readonly plan: string; readonly disk_gb: number }
  | { readonly custom_size: Readonly<Record<'vcpus' | 'memory_mb' | 'disk_gb', number>> };

interface Chosen {
  readonly plan: string;
  readonly architecture: string;
  readonly vcpus: number;
  readonly memory_mb: number;
  readonly disk_gb: number;
}

/** Returns undefined if the plan or custom size is not sold. Then `priceVm` reports the reason. */
function chosenOf({ provider }: Services, size: WantedSize): Chosen | undefined {
  const { plans, custom_plan } = provider.catalogue;
  if ('custom_size' in size)
    return custom_plan === null
      ? undefined
      : { plan: 'custom', architecture: custom_plan.architecture, ...size.custom_size };
  const plan = plans.find(({ slug }) => slug === size.plan);
  if (plan === undefined) return undefined;
  const { slug, architecture, vcpus, memory_mb } = plan;
  return { plan: slug, architecture, vcpus, memory_mb, disk_gb: size.disk_gb };
}

function requireFitting({ provider }: Services, row: VmRow, chosen: Chosen): void {
  const where = `GET /flexible-vps/v1/plans?resize_for=${row.id} shows to which plans it can change.`;
  const pointer = chosen.plan === 'custom' ? '/custom_size' : '/plan';
  if (chosen.architecture !== row.architecture)
    throw refuse(
      pointer,
      'incompatible',
      `The machine is ${row.architecture}, this would make it ${chosen.architecture}. ${where}`,
    );
  const least = leastMemory(provider.catalogue, row);
  if (chosen.memory_mb < least)
    throw refuse(pointer, 'incompatible', `The image of the machine needs ${least} MB of memory. ${where}`);
}

export const missingTarget = (body: AnyObject): FieldError[] =>
  missingSize(body).map((error) => ({
    ...error,
    detail: `${error.detail} To change only the disk, repeat the present plan.`,
  }));

export function refuseBoth({ plan, custom_size }: AnyObject): void {
  if (plan !== undefined && custom_size !== undefined)
    throw refuse('/custom_size', 'mutually_exclusive', 'Give either plan or custom_size, not both.');
}

/** Checks that need only the request body, not the machine. */
export function requireSense({ plan, custom_size, mode, start_after }: ResizeVm): void {
  refuseBoth({ plan, custom_size });
  const missing = missingTarget({ plan, custom_size });
  if (missing.length > 0) throw invalid(missing);
  if (mode === 'live' && start_after === 'no')
    throw refuse(
      '/start_after',
      'incompatible',
      'Mode live does not stop the machine. Leave start_after out, or use mode cold.',
    );
}

/** The configuration has the disk of a custom size inside; the request may have it beside. */
const asSentErrors = (body: ResizeVm, errors: readonly FieldError[]): FieldError[] =>
  asBodyErrors(errors).map((error) =>
    error.pointer === '/custom_size/disk_gb' && body.disk_gb !== undefined
      ? { ...error, pointer: '/disk_gb' }
      : error,
  );

export function targetOf(services: Services, row: VmRow, body: ResizeVm, now: Date): Target {
  const disk_gb = diskOf(body, row);
  const { vcpus, memory_mb } = row;
  const size =
    body.custom_size === undefined
      ? { plan: body.plan ?? '', disk_gb }
      : { custom_size: { vcpus, memory_mb, ...body.custom_size, disk_gb } };
  const chosen = chosenOf(services, size);
  if (chosen !== undefined) requireFitting(services, row, chosen);
  const configuration = configurationWith(services, row, size);
  const was = priceVm(services, row.configuration, { at: now, existing: 'unchanged' });
  const isKept = body.plan === row.plan;
  const priced = priceVm(services, configuration, {
    at: now,
    existing: isKept ? 'unchanged' : was.ok ? was.item.lines : [],
  });
  if (!priced.ok) throw invalid(asSentErrors(body, priced.problems));
  const elsewhere = isKept ? [] : placeFaults(services, chosen?.plan ?? '', row.location, now);
  if (elsewhere.length > 0) throw invalid(elsewhere);
  if (chosen === undefined) throw new Error('A choice that has a price has no size.');
  return { plan: chosen.plan, size: sizeOf(chosen), configuration, isSold: priced.item.available };
}

export const isSame = (row: VmRow, { plan, size }: Target): boolean =>
  plan === row.plan && isSameSize(size, sizeOf(row));
