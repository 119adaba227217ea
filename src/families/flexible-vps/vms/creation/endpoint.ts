import { newId } from '../../../../kernel/ids.ts';
import { accepted, endpoint } from '../../../../kernel/record.ts';
import { Named, Nullable, Secret, Shape, Type } from '../../../../kernel/schema.ts';
import { makeGuestPassword } from '../../../../kernel/secrets/guest-password.ts';
import { costOf } from '../../../../resources/inventory/cost.ts';
import { requireRoom, requireRoomIn } from '../../../../resources/limits/require-room.ts';
import { exampleOperation } from '../example.ts';
import { hashOf } from '../guest.ts';
import { showNewVm } from '../present.ts';
import { vms } from '../resource.ts';
import { exampleVm, Vm } from '../schema.ts';
import type { VmRow } from '../table.ts';
import { warnIfIgnored } from '../user-data.ts';
import { CreateVm } from './body.ts';
import type { CreateCall } from './checks.ts';
import { connect } from './interfaces.ts';
import { createVmKind } from './kind.ts';
import { planVm, type VmPlan } from './plan-vm.ts';
import { askForRoom } from './room.ts';

export const Credentials = Shape({ username: Type.String(), password: Secret(Nullable(Type.String())) });

/** A machine with its initial credentials, which only the first answer contains. */
export const CreatedVm = Named(
  'CreatedVm',
  Shape({
    ...Vm.properties,
    initial_credentials: Nullable(Credentials),
    secret_returned_before: Type.Optional(Type.Boolean()),
  }),
);

interface Inside {
  readonly row: Pick<
    VmRow,
    'ssh_key_ids' | 'ssh_public_keys' | 'password_hash' | 'user_data' | 'user_data_sha256'
  >;
  readonly password: string | null;
}

function inside(call: CreateCall, { sshKeys: keys, userData: data }: VmPlan): Inside {
  const { ssh_key_ids = [], generate_password } = call.body;
  warnIfIgnored(call, data);
  const wantsPassword = generate_password ?? (keys.length === 0 && data === null);
  const made = wantsPassword ? makeGuestPassword() : null;
  return {
    row: {
      ssh_key_ids,
      ssh_public_keys: keys.map(({ public_key }) => public_key),
      password_hash: made?.hash ?? null,
      user_data: data,
      user_data_sha256: hashOf(data),
    },
    password: made?.password ?? null,
  };
}

/**
 * Comes last, because it locks the account against other creates until the transaction ends. The rows of this machine
 * are counted already.
 */
async function requireLimits(call: CreateCall, { id }: VmRow, { connections, blocks, candidate }: VmPlan) {
  if (connections.length > 0) {
    const isPublic = blocks.ipv4 !== null || blocks.ipv6 !== null;
    const after = connections.length + (isPublic ? 1 : 0);
    await requireRoomIn(call, 'flexible-vps.interfaces-per-vm', id, { before: 0, after });
  }
  await vms.lockNames(call);
  await requireRoom(call, candidate.priced.demands, { isCounted: true });
}

export const createVm = endpoint({
  id: 'createVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms',
  summary: 'Create a VM',
  description:
    'Creates a VM from an image, a snapshot or another VM. A copy of a snapshot or a VM has to be in the same location; it gets a new instance id, so that cloud-init renews its host keys and hostname. If you send neither an SSH key nor user data, the answer contains a password, which is shown only once.',
  permission: 'flexible-vps:vms:write',
  access: 'write',
  resource: { name: 'vm', role: 'create' },
  raisesCost: true,
  body: CreateVm,
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
        operation: exampleOperation('vm.create', exampleVm),
        initial_credentials: { username: 'ubuntu', password: 'x7Kq2mVt9RzHc4WnPb6LdJ3f' },
      },
    },
  },
  prepare: askForRoom,
  async handle(call, rooms) {
    const { db, body, cost, start, services } = call;
    const plan = await planVm(call, rooms);
    const { candidate, origin } = plan;
    const { row: own, password } = inside(call, plan);
    const row = await vms.add(call, {
      id: vms.newId(),
      name: body.name,
      labels: body.labels ?? {},
      description: body.description ?? '',
      status: 'creating',
      location: candidate.location,
      plan: candidate.plan,
      requested: { location: body.location, plan: body.plan ?? 'custom' },
      vcpus: candidate.size.vcpus,
      memory_mb: candidate.size.memoryMb,
      disk_gb: candidate.size.diskGb,
      architecture: candidate.architecture,
      hostname: body.hostname ?? body.name,
      image: origin.image,
      source: origin.shown,
      ...plan.boot,
      ...own,
      placement_group_id: body.placement_group_id ?? null,
      seed: newId('request'),
      protected_delete: body.protection?.delete ?? false,
      protected_redeploy: body.protection?.redeploy ?? false,
      configuration: candidate.configuration,
    });
    await connect(db, row, plan);
    cost(costOf(services, candidate.priced, null, row.labels));
    const sourceVm = 'instance' in origin.source ? origin.source.instance : undefined;
    const operation = await start({
      kind: createVmKind,
      input: { start: body.start ?? true, ...(sourceVm === undefined ? {} : { source_vm_id: sourceVm }) },
      resource: vms.ref(row),
      subjects: [row.id, ...(sourceVm === undefined ? [] : [sourceVm])],
    });
    const shown = await showNewVm(call, row, operation);
    await requireLimits(call, row, plan);
    const initial_credentials = password === null ? null : { username: origin.defaultUser, password };
    return accepted({ ...shown, initial_credentials });
  },
});
