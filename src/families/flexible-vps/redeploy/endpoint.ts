import type { Call } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import { exampleOperation } from '../../../kernel/operations/example.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { type KnownImage, requireImage } from '../images/references.ts';
import { enterStatus } from '../power/status.ts';
import { requireMachineName, requireOverwritable } from '../restore/refusals.ts';
import { acceptLossOfSnapshots } from '../snapshots/affected-snapshots.ts';
import { lockSnapshotsOf } from '../snapshots/store.ts';
import { CreatedVm } from '../vm-creation/endpoint.ts';
import { imageShown } from '../vm-creation/source.ts';
import { showVm } from '../vm-reading/present.ts';
import { asBodyErrors, priceVm } from '../vms/inventory.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { copySeconds } from '../volumes/copy-time.ts';
import { volumesOf } from '../volumes/store.ts';
import { replaceLostAddresses } from './addresses.ts';
import { RedeployVm } from './body.ts';
import { makePlan, sealPlan } from './guest-plan.ts';
import { redeployVmKind } from './kind.ts';

type RedeployCall = Call<{ id: string }, unknown, RedeployVm>;

/** Returns the requested image, or else the image that the disk was created from. */
async function chooseImage(call: RedeployCall, row: VmRow): Promise<KnownImage> {
  const pointer = '/image_id';
  const wanted = call.body.image_id ?? row.image?.id;
  if (wanted === undefined) {
    const detail = 'The machine was not created from an image, so you have to send image_id.';
    throw invalid([{ pointer, code: 'unknown_reference', detail }]);
  }
  const { architecture, disk_gb: diskGb, memory_mb: memoryMb } = row;
  return requireImage(call, wanted, pointer, { architecture, diskGb, memoryMb });
}

/** Some images have a licence fee, so a different image can change the price. */
function configurationWith({ services, now }: RedeployCall, row: VmRow, image: KnownImage) {
  const { source: _, ...rest } = row.configuration;
  const configuration =
    image.row === null ? { ...rest, source: { type: 'image', image_id: image.id } } : rest;
  const before = priceVm(services, row.configuration, { existing: 'unchanged', at: now });
  const existing = before.ok ? before.item.lines : 'unchanged';
  const after = priceVm(services, configuration, { existing, at: now });
  if (!after.ok) throw invalid(asBodyErrors(after.problems));
  return configuration;
}

export const redeployVm = endpoint({
  id: 'redeployVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/redeploy',
  summary: 'Redeploy a machine',
  description:
    'Wipes the root disk and installs an image on it. The id, addresses, interfaces, labels and all other settings stay. The image decides the boot mode; secure boot stays on only if it was on before and the image supports it. A running machine is forced off. If there is neither an SSH key nor user data that cloud-init reads, the answer contains a password, which is shown only once. If the redeploy fails, the machine is in `error`, and you can redeploy or delete it.',
  permission: 'flexible-vps:vm-disks:write',
  access: 'destructive',
  resource: { name: 'vm', role: 'action' },
  changes: {
    image: '/image_id',
    source: '/image_id',
    boot_mode: '/image_id',
    secure_boot: '/image_id',
    hostname: '/hostname',
    ssh_key_ids: '/ssh_key_ids',
  },
  raisesCost: true,
  params: VmId,
  body: RedeployVm,
  answers: { 202: CreatedVm },
  problems: [
    'resource_protected',
    'resource_suspended',
    'invalid_state',
    'operation_in_progress',
    'vm_in_rescue',
    'vm_has_snapshots',
    'resource_in_use',
    'capacity_unavailable',
  ],
  operation: redeployVmKind,
  example: {
    params: { id: exampleVm.id },
    body: { image_id: 'windows-server-2025', generate_password: true, confirm: exampleVm.name },
    answer: {
      status: 202,
      body: {
        ...exampleVm,
        status: 'redeploying',
        operation: exampleOperation(redeployVmKind, exampleVm),
        initial_credentials: { username: 'Administrator', password: 'x7Kq2mVt9RzHc4WnPb6LdJ3f' },
      },
    },
  },
  async handle(call) {
    const { db, caller, params, body, services } = call;
    const accountId = caller.account.id;
    const before = await lockVm(db, accountId, params.id);
    requireMachineName(body.confirm, before);
    const image = await chooseImage(call, before);
    const { plan, password } = await makePlan(call, before);
    await requireOverwritable(call, 'redeployVm', before);
    call.effect({
      action: 'wipe_disk',
      ...vms.ref(before),
      loss: forGood(`All data on the disk (${before.disk_gb} GB).`),
    });
    if (before.status !== 'running') call.effect({ action: 'start', ...vms.ref(before) });
    const remove = await acceptLossOfSnapshots(call, await lockSnapshotsOf(db, accountId, before.id), {
      isMeant: body.delete_snapshots ?? false,
      code: 'vm_has_snapshots',
      detail: (count) => `${count} of the machine would be deleted with its disk.`,
    });
    const configuration = configurationWith(call, before, image);
    await vms.reportCost(call, [before], { configuration, status: 'running', is_billed: true });
    if (before.status === 'error') await replaceLostAddresses(call, before);
    const row = await enterStatus(db, before, 'redeploying');
    // A lost machine may come back on another server, to which its volumes have to be copied.
    const copying = (await volumesOf(db, row.id)).length === 0 ? 0 : copySeconds(services, row.location);
    const operation = await call.start({
      kind: redeployVmKind,
      deadlineSeconds: redeployVmKind.deadlineSeconds + copying,
      input: {
        image: imageShown(image),
        is_custom: image.row !== null,
        boot: { mode: image.boot_mode, secure: before.secure_boot && image.secure_boot },
        configuration,
        remove,
        was: before.status,
        sealed: sealPlan(services, before.id, plan),
      },
      resource: vms.ref(row),
    });
    const shown = await showVm(call, row, operation);
    const initial_credentials = password === null ? null : { username: image.default_user, password };
    return accepted({ ...shown, initial_credentials });
  },
});
