/** A plan, as lists show it: its size, where it is sold, and for which price. */
import {
  byCatalogue,
  Named,
  Nullable,
  OneOf,
  Price,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { ResizeReason } from '../catalog/resize-targets.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Architecture, DiskGb, LocationSlug, MemoryMb, Vcpus } from '../hardware.ts';

const ranged = {
  min: Type.Integer({ description: 'The smallest value that is allowed.' }),
  max: Type.Integer({ description: 'The largest value that is allowed.' }),
};
const Bounds = Named(
  'SizeBounds',
  Shape({
    ...ranged,
    step: Type.Integer({ description: 'The value must be `min` plus a multiple of this.' }),
  }),
);

export const PlanCategory = Named(
  'PlanCategory',
  OneOf(
    {
      shared: 'The processors are shared with other machines.',
      dedicated: 'The processors are only for the machine.',
      custom: 'You choose the size yourself, with `custom_size`.',
    },
    { description: 'The kind of plan.' },
  ),
);

export const Plan = Named(
  'VpsPlan',
  Shape({
    slug: Type.String({ description: 'The short name of the plan, which requests use, such as `flex-2-4`.' }),
    name: Type.String({ ...byCatalogue, description: 'The name of the plan for people.' }),
    category: PlanCategory,
    architecture: Architecture,
    vcpus: { ...Vcpus, description: 'The number of virtual processors. Of `custom`: the minimum.' },
    memory_mb: { ...MemoryMb, description: 'The memory in MB (2^20 bytes). Of `custom`: the minimum.' },
    disk_gb: { ...DiskGb, description: `The root disk in GB. Of \`custom\`: the minimum. ${GB_MEANS}` },
    traffic_gb_per_month: Type.Integer({
      'x-unit': 'GB/month',
      description: `How much a machine may send in a month without further cost. ${GB_MEANS}`,
    }),
    network_mbps: Type.Integer({
      'x-unit': 'Mbit/s',
      description: 'The speed of the public network interface.',
    }),
    price: Nullable({
      ...Price,
      description:
        'What a machine of this plan costs in the cheapest of `locations`, without public IPv4 address, licence and tax; null if it is not sold.',
    }),
    locations: Type.Array(
      Shape({
        location: LocationSlug,
        available: Type.Boolean({
          description:
            'Whether the location has free capacity for this plan now. Free public addresses do not matter here, because a machine can be created without one.',
        }),
        price: Nullable({
          ...Price,
          description: 'What a machine of this plan costs there; null if it is not sold.',
        }),
      }),
      {
        description:
          'Where the plan is sold. Prices exclude public IPv4 address, licence and tax. The price of `custom` is for the smallest size.',
      },
    ),
    deprecated_at: Nullable({
      ...Time,
      description: 'From then on the plan is on its way out; null if it is not.',
    }),
    removed_at: Nullable({
      ...Time,
      description: 'From then on the plan is no longer sold; null if no end is known.',
    }),
    custom_limits: Nullable(
      Shape(
        {
          vcpus: { ...Bounds, description: 'The numbers of virtual processors that you can choose.' },
          memory_mb: {
            ...Bounds,
            'x-unit': 'MB',
            description: 'The sizes of the memory that you can choose.',
          },
          disk_gb: {
            ...Bounds,
            'x-unit': 'GB',
            description: 'The sizes of the root disk that you can choose.',
          },
          memory_mb_per_vcpu: Shape(ranged, {
            'x-unit': 'MB',
            description: 'The memory for each virtual processor has to be in this range.',
          }),
        },
        { description: 'Only of `custom`: the sizes that you can choose; null for other plans.' },
      ),
    ),
    resize: Nullable(
      Shape(
        {
          allowed: Type.Boolean({ description: 'Whether the machine can be resized to this plan now.' }),
          mode: Nullable(
            OneOf(
              {
                live: 'The machine can keep running.',
                cold: 'The machine has to be stopped, which the resize does by itself.',
              },
              { description: 'How the machine would be resized; null if it cannot be.' },
            ),
          ),
          reason_code: Nullable(ResizeReason),
        },
        {
          description: 'With `resize_for`: whether that machine can be resized to this plan; otherwise null.',
        },
      ),
    ),
  }),
  { columns: ['name', 'vcpus', 'memory_mb', 'disk_gb', 'category', 'architecture', 'price'] },
);
export type Plan = Static<typeof Plan>;
