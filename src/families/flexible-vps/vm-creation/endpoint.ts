import { exampleOperation } from '../../../kernel/operations/example.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { Named, Nullable, Shape, Type } from '../../../kernel/schema.ts';
import { requireRoomAtLast, requireRoomIn } from '../../../resources/limits/require-room.ts';
import { planBackupsOf } from '../backup-policies/future/future.ts';
import { UNPACK_SECONDS } from '../backups/use.ts';
import { giveFirewalls } from '../firewalls/machine-firewalls.ts';
import { Password, returnedBefore } from '../vm-access/schema.ts';
import { showNewVm } from '../vm-reading/present.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm } from '../vms/schema.ts';
import { copySeconds } from '../volumes/copy-time.ts';
import { giveVolumes } from '../volumes/machine-volumes.ts';
import { CreateVm, missingSize } from './body.ts';
import type { CreateCall } from './checks.ts';
import { connect } from './interfaces.ts';
import { createVmKind } from './kind.ts';
import { type NewVm, placeVm } from './place-vm.ts';
import { planVm } from './plan-vm.ts';
import { askForRoom } from './room.ts';

export const Credentials = Shape(
  { username: Type.String({ description: 'The default user of the image.' }), password: Password },
  { description: 'How to sign in to the guest, shown only once; null if no password was made.' },
);

/** A machine with its initial credentials, which only the first answer contains. */
export const CreatedVm = Named(
  'CreatedVm',
  Shape({
    ...Vm.properties,
    initial_credentials: Nullable(Credentials),
    ...returnedBefore,
  }),
);

/**
 * Comes last, because it locks the account against other creates until the transaction ends. The rows of this machine
 * are counted already.
 */
async function requireLimits(
  call: CreateCall,
  { row, front, addresses, candidate }: NewVm,
  networks: number,
) {
  if (networks > 0) {
    const after = networks + (front === null ? 0 : 1);
    await requireRoomIn(call, 'flexible-vps.interfaces-per-vm', row.id, { before: 0, after });
  }
  const ipv4 = addresses.filter(({ kind, block }) => kind === 'ephemeral' && !block.includes(':')).length;
  const { location } = candidate;
  await requireRoomAtLast(call, [
    ...candidate.priced.demands,
    { limit: 'flexible-vps.public-ipv4', amount: ipv4, location },
  ]);
}

/** A backup comes from its store first, and volumes may have to be copied to the server of the machine. */
function deadlineOf(
  { services }: CreateCall,
  { origin, volumes }: Pick<Awaited<ReturnType<typeof planVm>>, 'origin' | 'volumes'>,
  location: string,
): number {
  const { deadlineSeconds } = createVmKind;
  const unpacking = origin.shown.type === 'backup' ? UNPACK_SECONDS : 0;
  return deadlineSeconds + unpacking + (volumes.length === 0 ? 0 : copySeconds(services, location));
}

export const createVm = endpoint({
  id: 'createVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms',
  summary: 'Create a machine',
  description:
    'Creates a machine from an image, a snapshot or another machine. A copy of a snapshot or a machine has to be in the same location; it gets a new instance id, so that cloud-init renews its host keys and hostname. If you send neither an SSH key nor user data that cloud-init reads, the answer contains a password, which is shown only once.',
  permission: 'flexible-vps:vms:write',
  access: 'write',
  resource: { name: 'vm', role: 'create' },
  raisesCost: true,
  body: CreateVm,
  missing: missingSize,
  answers: { 202: CreatedVm },
  problems: [
    'name_taken',
    'invalid_state',
    'quota_exceeded',
    'capacity_unavailable',
    'placement_unsatisfiable',
    'already_attached',
    'address_taken',
    'cidr_overlap',
    'operation_in_progress',
    'capability_missing',
  ],
  operation: createVmKind,
  example: {
    body: {
      name: 'web-1',
      location: 'fra1',
      plan: 'flex-2-4',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
      labels: { env: 'prod' },
    },
    answer: {
      status: 202,
      body: {
        ...exampleVm,
        status: 'creating',
        provisioned_at: null,
        operation: exampleOperation(createVmKind, exampleVm),
        initial_credentials: { username: 'ubuntu', password: 'x7Kq2mVt9RzHc4WnPb6LdJ3f' },
      },
    },
  },
  prepare: askForRoom,
  async handle(call, answers) {
    const { db, body, start } = call;
    const plan = await planVm(call);
    const made = await placeVm(call, plan, answers);
    const { row } = made;
    const { origin, connections, access } = plan;
    await connect(db, row, made.front, connections);
    await vms.added(call, row);
    await giveVolumes(call, row, plan.volumes);
    const firewalls = await giveFirewalls(call, row, plan.firewalls);
    const { start: isStarted = true } = body;
    const after = { status: isStarted ? 'running' : 'stopped', is_billed: true } as const;
    await vms.reportCost(call, [row], after, true);
    if (row.backup_policy_id !== null) await planBackupsOf(call, row);
    const sourceVm = 'instance' in origin.source ? origin.source.instance : undefined;
    const operation = await start({
      kind: createVmKind,
      deadlineSeconds: deadlineOf(call, plan, row.location),
      input: {
        start: isStarted,
        ...(sourceVm === undefined ? {} : { source_vm_id: sourceVm }),
        from_backup: origin.shown.type === 'backup',
      },
      resource: vms.ref(row),
      subjects: [
        row.id,
        ...(sourceVm === undefined ? [] : [sourceVm]),
        ...plan.volumes.map((volume) => volume.row.id),
      ],
      isNew: true,
    });
    const volumeIds = plan.volumes.map((volume) => volume.row.id).sort();
    const shown = await showNewVm(call, { ...made, volumeIds, firewalls }, connections.length > 0, operation);
    await requireLimits(call, made, connections.length);
    const { password } = access;
    const initial_credentials = password === null ? null : { username: origin.defaultUser, password };
    return accepted({ ...shown, initial_credentials });
  },
});
