import {
  advanced,
  label,
  Named,
  OneOf,
  Shape,
  type Static,
  Type,
  unlessSent,
  when,
} from '../../../kernel/schema.ts';
import { TimeoutSeconds } from '../power/actions.ts';
import { ResizePlanRef } from '../references.ts';
import { CustomSize } from '../vm-creation/body.ts';

export const StartAfter = Named(
  'StartAfter',
  OneOf(
    {
      as_before: 'The machine runs afterwards if it ran before.',
      yes: 'The machine runs afterwards.',
      no: 'The machine is stopped afterwards.',
    },
    { default: 'as_before', description: 'Whether the machine runs afterwards.' },
  ),
);

const { vcpus, memory_mb, disk_gb } = CustomSize.properties;

/** What is left out stays as it is. */
export const OtherCustomSize = Named(
  'OtherCustomSize',
  Shape(
    {
      vcpus: Type.Optional({
        ...vcpus,
        description: 'The number of virtual processors. Default: the present number.',
      }),
      memory_mb: Type.Optional({
        ...memory_mb,
        description: 'The memory in MB (2^20 bytes). Default: the present memory.',
      }),
      disk_gb: Type.Optional({ ...disk_gb, description: 'Like `disk_gb` beside `custom_size`.' }),
    },
    {
      ...unlessSent('plan'),
      ...advanced,
      description: 'A size of your own, within the limits of the plan `custom`. Send it without `plan`.',
    },
  ),
);
export type OtherCustomSize = Static<typeof OtherCustomSize>;

export const NewPlan = {
  ...ResizePlanRef,
  ...unlessSent('custom_size'),
  description: 'The slug of the new plan.',
};

export const NewDiskGb = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  'x-unit': 'GB',
  ...label('Disk size'),
  description:
    'The new size of the root disk in GB (2^30 bytes). A disk never shrinks. What exceeds the disk of the plan is billed. Default: the present size.',
});

export const ResizeVm = Shape({
  plan: Type.Optional({
    ...NewPlan,
    description: 'The slug of the new plan. Required without `custom_size`.',
  }),
  custom_size: Type.Optional(OtherCustomSize),
  disk_gb: Type.Optional(NewDiskGb),
  mode: Type.Optional(
    OneOf(
      {
        cold: 'A running machine is stopped and started again.',
        live: 'The machine keeps running, but it can only grow.',
      },
      { ...advanced, default: 'cold', description: 'Whether the machine keeps running.' },
    ),
  ),
  shutdown_timeout_seconds: Type.Optional({ ...TimeoutSeconds, ...when('mode', 'cold') }),
  force_after_timeout: Type.Optional(
    Type.Boolean({
      default: false,
      ...when('mode', 'cold'),
      ...advanced,
      description: 'Whether a guest that does not shut down in time is forced off.',
    }),
  ),
  start_after: Type.Optional(StartAfter),
});
export type ResizeVm = Static<typeof ResizeVm>;

const SizeShape = Shape({
  vcpus: Type.Integer(),
  memory_mb: Type.Integer(),
  disk_gb: Type.Integer(),
});

/** The input of the operation. The row keeps the old size until the machine has the new one. */
export const ResizeInput = Shape({
  former: OneOf(['running', 'stopped']),
  from: SizeShape,
  to: SizeShape,
  plan: Type.String(),
  configuration: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  mode: OneOf(['cold', 'live']),
  shutdown_timeout_seconds: Type.Integer(),
  force_after_timeout: Type.Boolean(),
  runs_after: Type.Boolean(),
});
export type ResizeInput = Static<typeof ResizeInput>;
