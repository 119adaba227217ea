import type { VolumeKind } from '../../../engines/compute/port.ts';
import { requireCapability } from '../../../engines/engine-call.ts';
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { price } from '../../../money/prices/price.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { creationOf } from '../../../resources/records/records.ts';
import { locationFaults } from '../catalog/location-faults.ts';
import { asBodyErrors } from '../vms/inventory.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { shareVolumeSnapshot } from '../volume-snapshots/store.ts';
import { refuse, refuseElsewhere, requirePlace, unknownVm } from '../volumes/acceptance.ts';
import { COPY_SECONDS, copySeconds } from '../volumes/copy-time.ts';
import { requireAlive } from '../volumes/engine-volume.ts';
import { volumeView } from '../volumes/present.ts';
import { volumes } from '../volumes/resource.ts';
import { NewVolume } from '../volumes/schema.ts';
import { readVolume } from '../volumes/store.ts';
import type { VolumeRow } from '../volumes/table.ts';
import { createVolumeKind } from './kind.ts';

type CreateCall = Call<unknown, unknown, NewVolume>;

const tiersSold = (tiers: readonly { readonly slug: string }[]): string =>
  tiers.length === 0
    ? 'No volumes are sold.'
    : `The tiers that are sold are ${tiers.map(({ slug }) => slug).join(' and ')}.`;

/** The tier, and the faults of a size or tier that is not sold in the location. */
function chooseTier({ services, body, now }: CreateCall): string {
  const { location, size_gb } = body;
  const tier = body.tier ?? services.provider.catalogue.volume_tiers[0]?.slug ?? '';
  const { volume_tiers } = services.provider.catalogue;
  const unsold = volume_tiers.some(({ slug }) => slug === tier)
    ? []
    : [{ pointer: '/tier', code: 'incompatible' as const, detail: tiersSold(volume_tiers) }];
  const unserved = [...locationFaults(services, location), ...unsold];
  if (unserved.length > 0) throw invalid(unserved);
  const priced = price(services.tariff, 'volume', { location, size_gb, tier }, { at: now });
  const errors: FieldError[] = priced.ok ? [] : asBodyErrors(priced.problems);
  if (priced.ok && !priced.item.available) {
    const detail = `Volumes of the tier ${tier} are not sold in ${location}.`;
    errors.push({
      pointer: body.tier === undefined ? '/location' : '/tier',
      code: 'location_mismatch',
      detail,
    });
  }
  if (errors.length > 0) throw invalid(errors);
  return tier;
}

/** What the location offers, or what the caller asks for, if the location offers it. */
function chooseKind({ services, body }: CreateCall): VolumeKind {
  const { compute } = services;
  const { location } = body;
  const offered =
    compute.at(location)?.capabilities.fileSystemVolumes === true
      ? ('filesystem' as const)
      : ('block' as const);
  const kind = body.kind ?? offered;
  requireCapability(compute, location, kind === 'block' ? 'blockVolumes' : 'fileSystemVolumes');
  return kind;
}

async function requireSource(call: CreateCall): Promise<void> {
  const { db, caller, body } = call;
  const { source_snapshot_id: id, location, size_gb } = body;
  if (id === undefined) return;
  const pointer = '/source_snapshot_id';
  const snapshot = await shareVolumeSnapshot(db, caller.account.id, id);
  const original = snapshot && (await readVolume(db, snapshot.volume_id));
  if (snapshot === undefined || original === undefined)
    throw refuse(pointer, 'unknown_reference', 'There is no such snapshot of a volume in this account.');
  if (original.location !== location)
    throw refuse(pointer, 'location_mismatch', `The snapshot is in ${original.location}.`);
  if (snapshot.size_gb > size_gb)
    throw refuse('/size_gb', 'incompatible', `The snapshot needs a volume of ${snapshot.size_gb} GB.`);
  if (snapshot.status !== 'available')
    throw new Problem('invalid_state', {
      detail: `The snapshot is ${snapshot.status}. It has to be available.`,
      extra: { current_state: snapshot.status, allowed_states: ['available'] },
    });
}

async function lockTarget(call: CreateCall): Promise<VmRow | null> {
  const { db, caller, body } = call;
  if (body.vm_id === undefined) return null;
  const vm = await lockVmIfThere(db, caller.account.id, body.vm_id);
  if (vm === undefined) throw unknownVm('/vm_id');
  refuseElsewhere(vm, body, '/vm_id');
  return vm;
}

function insert(call: CreateCall, id: string, tier: string, kind: VolumeKind): Promise<VolumeRow> {
  const { body } = call;
  return volumes.add(
    call,
    {
      id,
      name: body.name,
      labels: body.labels ?? {},
      description: body.description ?? '',
      status: 'creating',
      location: body.location,
      size_gb: body.size_gb,
      tier,
      kind,
      vm_id: body.vm_id ?? null,
      source_snapshot_id: body.source_snapshot_id ?? null,
      protected: body.protection?.delete ?? false,
    },
    ['location', 'size_gb', 'tier'],
  );
}

export const createVpsVolume = creationOf(volumeView, {
  id: 'createVpsVolume',
  description:
    'A disk that outlives machines. It begins empty, or as a copy of a snapshot. With `vm_id` the same operation attaches it, after earlier operations on the machine. It is billed by its size, whether a machine has it or not.',
  raisesCost: true,
  body: NewVolume,
  problems: [
    'name_taken',
    'quota_exceeded',
    'capability_missing',
    'invalid_state',
    'resource_suspended',
    'operation_queue_full',
  ],
  kind: createVolumeKind,
  example: {
    body: { name: 'data', location: 'fra1', size_gb: 100, labels: { env: 'prod' } },
    answer: { device_path: null, serial: null },
  },
  async begin(call) {
    const { db, body, services, now } = call;
    const tier = chooseTier(call);
    const vm = await lockTarget(call);
    await requireSource(call);
    const kind = chooseKind(call);
    if (vm !== null) {
      requireAlive(vm);
      await requirePlace(call, vm);
    }
    await volumes.requireFree(call, body.name, body.location);
    const id = volumes.newId();
    await requireRoomIn(call, 'flexible-vps.volume-gb', id, { before: 0, after: body.size_gb });
    const row = await insert(call, id, tier, kind);
    if (vm !== null) {
      await updateVm(db, vm.id, {});
      call.effect({ action: 'attach', ...vms.ref(vm) });
    }
    const attaching = vm === null ? 0 : copySeconds(services, row.location);
    const copying = row.source_snapshot_id === null ? attaching : COPY_SECONDS;
    return {
      row,
      ready: { status: 'available', provisioned_at: now },
      deadlineSeconds: createVolumeKind.deadlineSeconds + copying,
      input: { vm_id: vm?.id ?? null },
      subjects: [row.id, ...(vm === null ? [] : [vm.id])],
    };
  },
});
