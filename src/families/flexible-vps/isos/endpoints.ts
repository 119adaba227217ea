import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { readParentLimit } from '../../../resources/limits/require-room.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { creationOf, deletionOf, listOf, readOf } from '../../../resources/records/records.ts';
import { soldIn } from '../catalog/sold-plans.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { Architecture } from '../hardware.ts';
import { requireUrl } from '../imports/customer-url.ts';
import { requireRoomToImport } from '../imports/import-room.ts';
import { ForVm, ISOS, LocationRef } from '../references.ts';
import { createIsoKind, deleteIsoKind } from './kinds.ts';
import { isoLife } from './lifecycle.ts';
import { findPublicIso, publicIsos, takersOf } from './offered.ts';
import { isoView } from './present.ts';
import { isos } from './resource.ts';
import { IsoId, IsoKind, NewIso } from './schema.ts';
import { findIso, machinesWithIso, readIsos } from './store.ts';
import type { IsoRow } from './table.ts';

const LARGEST_GIB = 10;

const listIsos = listOf(isoView, {
  id: 'listIsos',
  summary: 'List public and private ISOs',
  query: ResourceQuery({
    kind: Type.Optional({ ...IsoKind, description: 'Only public ISOs of the provider, or only your own.' }),
    status: Type.Optional({ ...isoLife.Status, description: 'Only ISOs with this status.' }),
    architecture: Type.Optional({ ...Architecture, description: 'Only ISOs for this architecture.' }),
    location: Type.Optional({ ...LocationRef, description: 'Only ISOs that this location has.' }),
    for_vm: ForVm,
  }),
  read: (call) => readIsos(call, publicIsos(call.services)),
});

const getIso = readOf(isoView, {
  id: 'getIso',
  summary: 'Get an ISO by id or slug',
  params: IsoId,
  read(call) {
    const { id = '' } = call.params;
    return findIso(call, id, findPublicIso(call.services, id));
  },
});

/** Throws 409 with the reason if no location can use such an ISO. */
function requireTakers(services: Services, architecture: IsoRow['architecture']): void {
  if (takersOf(services, architecture).length > 0) return;
  const reasons = services.compute.all
    .map(({ capabilities }) => capabilities.isoDrive)
    .filter((reason) => typeof reason === 'string');
  const detail = reasons[0] ?? `No location has machines with ${architecture} processors.`;
  throw new Problem('capability_missing', { detail, extra: { capability: 'isoDrive' } });
}

const createIso = creationOf(isoView, {
  id: 'createIso',
  summary: 'Import an ISO from a URL',
  description:
    'The file is downloaded over https, from public addresses only; at most 5 redirects are followed, and each is checked again. It may have up to 10 GiB, and the import may take up to 60 minutes. The server must send at least 64 KiB per second on average, and the whole file within 45 minutes. If the disk for imports has no room, the import waits for it, and further imports of the account are refused meanwhile. The content must be ISO 9660 or UDF. If the import fails, the ISO is kept for 7 days with the reason in `failure`.',
  raisesCost: true,
  body: NewIso,
  problems: ['name_taken', 'quota_exceeded', 'capability_missing', 'capacity_unavailable'],
  kind: createIsoKind,
  example: {
    body: {
      name: 'debian-installer',
      url: 'https://isos.example.com/debian-13-netinst.iso?signature=abc',
      labels: { env: 'prod' },
    },
    answer: { status: 'downloading', size_bytes: null, sha256: null, locations: [], progress_percent: 0 },
  },
  async begin(call) {
    const { body, services } = call;
    const { architecture = 'amd64' } = body;
    const such = 'https://isos.example.com/installer.iso';
    const url = requireUrl(body.url, { pointer: '/url', such });
    requireTakers(services, architecture);
    await isos.requireFree(call, body.name);
    await requireRoomToImport(call);
    const gib = (await readParentLimit(call, 'flexible-vps.iso-gib'))?.limit ?? LARGEST_GIB;
    const id = isos.newId();
    const row = await isos.add(call, {
      id,
      name: body.name,
      description: body.description ?? '',
      labels: body.labels ?? {},
      architecture,
      source_url: `${url.origin}${url.pathname}`,
      sealed_url: services.secrets.close(Buffer.from(url.href), id),
      status: 'downloading',
      progress_percent: 0,
    });
    const detail = `The price depends on the size of the file; this is the most it can cost, for ${gib} GB.`;
    call.warn({ code: 'cost_follows_size', detail });
    const size_bytes = gib * BYTES_PER_GB;
    const locations = [soldIn(services.provider.catalogue)[0]?.slug ?? ''];
    return {
      row,
      ready: { status: 'available', locations, size_bytes },
      input: { sha256: body.sha256 ?? null, max_bytes: size_bytes },
      server: url.host,
    };
  },
});

const deleteIso = deletionOf(isoView, {
  id: 'deleteIso',
  description: 'An ISO in the drive of a machine is refused: eject it with `setVmIso` first.',
  params: Shape({ id: Ref(IsoId.properties.id, { ...ISOS, filters: { kind: { equals: 'private' } } }) }),
  problems: ['resource_in_use', 'resource_protected'],
  life: isoLife,
  kind: deleteIsoKind,
  input: () => ({}),
  keepsPrice: false,
  async take(call) {
    const { id = '' } = call.params;
    const listed = findPublicIso(call.services, id);
    if (listed === undefined) return isos.take(call, id);
    call.checkVersion(isos.etag(listed));
    throw new Problem('resource_protected', {
      detail: 'Public ISOs of the provider cannot be deleted.',
      nextStep: 'You can delete only your own ISOs; list them with kind=private.',
    });
  },
  async check({ db, caller }, { id }) {
    refuseUsed(await machinesWithIso(db, caller.account.id, id), {
      detail: 'The ISO is in the drive of a machine.',
      nextStep: 'Eject it from the machines in used_by with setVmIso and iso_id null, then repeat the call.',
    });
  },
});

export const isoEndpoints = [listIsos, createIso, getIso, deleteIso];
