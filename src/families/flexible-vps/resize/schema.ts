import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { TimeoutSeconds } from '../power/actions.ts';
import { PlanRef } from '../references.ts';

const disk = Type.Integer({ minimum: 1, maximum: 100_000 });

export const ResizeVm = Shape({
  plan: Type.Optional({ ...PlanRef(), description: 'Send either `plan` or `custom_size`.' }),
  custom_size: Type.Optional(
    Shape({
      vcpus: Type.Integer({ minimum: 1, maximum: 1024 }),
      memory_mb: Type.Integer({ minimum: 1, maximum: 16_777_216 }),
      disk_gb: Type.Optional(disk),
    }),
  ),
  disk_gb: Type.Optional({
    ...disk,
    description:
      'Default: the present size. A disk never shrinks. If it is larger than the disk of the plan, the difference is billed.',
  }),
  mode: Type.Optional(
    OneOf(['cold', 'live'], {
      default: 'cold',
      description:
        '`cold` stops a running machine and starts it again. `live` keeps it running, but it can only grow.',
    }),
  ),
  shutdown_timeout_seconds: Type.Optional(TimeoutSeconds),
  force_after_timeout: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether a guest that does not shut down in time is forced off.',
    }),
  ),
  start_after: Type.Optional(OneOf(['as_before', 'yes', 'no'], { default: 'as_before' })),
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
