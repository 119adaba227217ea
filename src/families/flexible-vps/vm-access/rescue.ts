import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { exampleOperation } from '../../../kernel/operations/example.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { advanced, label, Named, Nullable, Shape, type Static, Type, when } from '../../../kernel/schema.ts';
import { makeGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import { effectOf } from '../power/actions.ts';
import { enterStatus } from '../power/status.ts';
import { SshKeyRef } from '../references.ts';
import { requireSshKeys } from '../ssh-keys/references.ts';
import { showVm } from '../vm-reading/present.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { RESCUE_HOURS, type RescueInput, rescueKind, sealHash } from './rescue-kind.ts';
import { Password, returnedBefore } from './schema.ts';

const USERNAME = 'root';

/** A machine with its rescue credentials, which only the first answer contains. */
const RescuedVm = Named(
  'RescuedVm',
  Shape({
    ...Vm.properties,
    rescue_credentials: Nullable(
      Shape(
        { username: Type.String({ description: 'The user of the rescue system.' }), password: Password },
        { description: 'How to sign in to the rescue system, shown only once; null if SSH keys are used.' },
      ),
    ),
    ...returnedBefore,
  }),
);

const SetRescue = Shape({
  enabled: Type.Boolean({ description: 'Whether the next start boots the rescue system.' }),
  ssh_key_ids: Type.Optional(
    Type.Array(SshKeyRef, {
      maxItems: 50,
      uniqueItems: true,
      default: [],
      ...label('SSH keys'),
      ...when('enabled', true),
      description:
        'SSH keys for root in the rescue system. Without keys, root gets a password, which is shown only once.',
    }),
  ),
  restart: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether the machine is restarted at once. A stopped machine is started.',
    }),
  ),
  duration_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 72,
      default: RESCUE_HOURS,
      'x-unit': 'hours',
      ...label('Ends after'),
      ...when('enabled', true),
      ...advanced,
      description:
        'How long rescue mode lasts. After this time, a running machine is restarted from its own disk.',
    }),
  ),
});

type RescueCall = Call<Static<typeof VmId>, unknown, Static<typeof SetRescue>>;

interface Wanted {
  readonly input: RescueInput;
  readonly password: string | null;
}

async function wantedOf({ db, caller, body, services }: RescueCall, row: VmRow): Promise<Wanted> {
  const { enabled, ssh_key_ids = [], restart = true, duration_hours = RESCUE_HOURS } = body;
  const keys = await requireSshKeys(db, caller.account.id, ssh_key_ids, '/ssh_key_ids');
  const made = enabled && keys.length === 0 ? await makeGuestPassword() : null;
  const input: RescueInput = {
    enabled,
    restart,
    // `vmLife` accepts this call only for running and stopped machines.
    former: row.status === 'running' ? 'running' : 'stopped',
    duration_hours,
    ssh_keys: enabled ? keys.map(({ public_key }) => public_key) : [],
    sealed_password_hash: made === null ? null : sealHash(services, row.id, made.hash),
  };
  return { input, password: made?.password ?? null };
}

export const setVmRescue = endpoint({
  id: 'setVmRescue',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/rescue',
  summary: 'Enter or leave rescue mode',
  description:
    'Boots a separate rescue system, which can access the disk of the machine. `rescue.active` shows that rescue mode is set; with `restart` false it takes effect at the next start. A guest that does not shut down within 30 seconds is forced off. When the rescue mode expires, a running machine is restarted from its own disk.',
  permission: 'flexible-vps:vm-access:write',
  access: 'write',
  sensitive: true,
  resource: { name: 'vm', role: 'action' },
  raisesCost: 'sometimes',
  changes: { rescue: '/enabled' },
  params: VmId,
  body: SetRescue,
  answers: { 202: RescuedVm },
  problems: ['operation_in_progress', 'invalid_state', 'resource_suspended', 'capability_missing'],
  operation: rescueKind,
  example: {
    params: { id: exampleVm.id },
    body: { enabled: true, duration_hours: 2 },
    answer: {
      status: 202,
      body: {
        ...exampleVm,
        status: 'restarting',
        operation: exampleOperation(rescueKind, exampleVm),
        rescue_credentials: { username: USERNAME, password: 'x7Kq2mVt9RzHc4WnPb6LdJ3f' },
      },
    },
  },
  async handle(call) {
    const { db, caller, params, body, services, effect, start } = call;
    const row = await lockVm(db, caller.account.id, params.id);
    const pending = (await pendingOn(db, [row.id])).get(row.id);
    vmLife.require('setVmRescue', row.status, { operation: pending });
    requireCapability(services.compute, row.location, 'rescue');
    const { input, password } = await wantedOf(call, row);
    const resource = vms.ref(row);
    if (body.enabled === (row.rescue_expires_at !== null)) {
      const { former: _, ...rest } = input;
      const idle = { ...rest, sealed_password_hash: null };
      const operation = await start({ kind: rescueKind, input: idle, resource, unchanged: true });
      effect({ action: 'none', ...resource });
      return accepted({ ...(await showVm(call, row, operation)), rescue_credentials: null });
    }
    if (input.restart) await vms.reportCost(call, [row], { status: 'running', is_billed: true });
    const operation = await start({ kind: rescueKind, input, resource });
    const changed = input.restart ? await enterStatus(db, row, 'restarting') : row;
    effect({
      action: 'update',
      verb: body.enabled ? 'boots the rescue system of' : 'ends the rescue system of',
      ...resource,
      changes: [{ pointer: '/rescue/active', before: !body.enabled, after: body.enabled }],
    });
    const type = row.status === 'running' ? 'restart' : 'power_on';
    if (input.restart) effect(effectOf({ type, on_timeout: 'force' }, resource));
    const rescue_credentials = password === null ? null : { username: USERNAME, password };
    return accepted({ ...(await showVm(call, changed, operation)), rescue_credentials });
  },
});
