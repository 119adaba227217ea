import { isDeepStrictEqual } from 'node:util';
import { requireCapability } from '../../../engines/engine-call.ts';
import { forNow } from '../../../kernel/effect.ts';
import { during } from '../../../kernel/operations/example.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { label, Nullable, Shape, Type } from '../../../kernel/schema.ts';
import { requireIso, requireUsable } from '../isos/references.ts';
import { effectOf } from '../power/actions.ts';
import { VmIsoRef } from '../references.ts';
import { showVm } from '../vm-reading/present.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm, updateVm } from '../vms/store.ts';
import { type DriveInput, setIsoKind } from './kind.ts';
import { lastDriveChange } from './store.ts';

const SetIso = Shape({
  iso_id: Nullable({
    ...VmIsoRef,
    ...label('ISO'),
    description:
      'The id or slug of the ISO for the drive. It replaces the one that is there; null ejects it.',
  }),
  boot_once: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the next start boots the ISO, and later ones the disk.',
    }),
  ),
  restart: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether a running machine is restarted at once.' }),
  ),
});

/** What a call asks for. */
const pick = ({ wanted, restart }: DriveInput) => ({ wanted, restart });

export const setVmIso = endpoint({
  id: 'setVmIso',
  method: 'PUT',
  path: '/flexible-vps/v1/vms/{id}/iso',
  summary: 'Put an ISO into the drive, or eject it',
  description:
    'A machine has one drive. It can be changed while the machine runs, and the machine is not restarted unless you ask for it. A machine with an empty disk boots the ISO at every start. The operation waits for earlier ones on the machine.',
  permission: 'flexible-vps:vms:write',
  access: 'write',
  resource: { name: 'vm', role: 'action' },
  changes: { iso: '/iso_id' },
  params: VmId,
  body: SetIso,
  answers: { 202: Vm },
  problems: [
    'operation_in_progress',
    'operation_queue_full',
    'invalid_state',
    'vm_in_rescue',
    'resource_suspended',
    'capability_missing',
  ],
  operation: setIsoKind,
  example: {
    params: { id: exampleVm.id },
    body: { iso_id: 'iso_01jqzv2m7xe9rs5d3k8w4t6y0b', boot_once: true },
    answer: {
      status: 202,
      body: during(setIsoKind, exampleVm, {
        iso: { iso_id: 'iso_01jqzv2m7xe9rs5d3k8w4t6y0b', boot_once: true },
      }),
    },
  },
  async handle(call) {
    const { db, caller, params, body, services, effect, start } = call;
    const row = await lockVm(db, caller.account.id, params.id);
    call.checkVersion(vms.etag(row));
    const pending = (await pendingOn(db, [row.id])).get(row.id);
    vmLife.require('setVmIso', row.status, { operation: pending });
    if (row.rescue_expires_at !== null) throw new Problem('vm_in_rescue');
    requireCapability(services.compute, row.location, 'isoDrive');
    const { iso_id, restart = false } = body;
    if (iso_id !== null) requireUsable(call, await requireIso(call, iso_id, '/iso_id'), row, '/iso_id');
    const wanted = { iso_id, boot_once: iso_id !== null && (body.boot_once ?? false) };
    const before = { iso_id: row.iso_id, boot_once: row.iso_boot_once };
    const input = { wanted, before, restart };
    const resource = vms.ref(row);
    const last = await lastDriveChange(db, row.id);
    // A repeated call follows the pending one.
    if (last !== undefined && isDeepStrictEqual(pick(last.input as DriveInput), pick(input))) {
      effect({ action: 'none', ...resource });
      call.follow(last);
      return accepted(await showVm(call, row, last));
    }
    const isRestarted = restart && row.status === 'running';
    if (wanted.iso_id === before.iso_id && wanted.boot_once === before.boot_once && !isRestarted) {
      effect({ action: 'none', ...resource });
      return accepted(
        await showVm(call, row, await start({ kind: setIsoKind, input, resource, unchanged: true })),
      );
    }
    if (before.iso_id !== null && before.iso_id !== iso_id)
      effect({
        action: 'detach',
        type: 'iso',
        id: before.iso_id,
        name: null,
        loss: forNow('The ISO in the drive.'),
      });
    const changes = [{ pointer: '/iso/iso_id', before: before.iso_id, after: iso_id }];
    effect({ action: 'update', ...resource, changes });
    if (isRestarted) effect(effectOf({ type: 'restart', on_timeout: 'force' }, resource));
    const operation = await start({ kind: setIsoKind, input, resource });
    const changed = await updateVm(db, row.id, { iso_id: wanted.iso_id, iso_boot_once: wanted.boot_once });
    return accepted(await showVm(call, changed ?? row, operation));
  },
});
