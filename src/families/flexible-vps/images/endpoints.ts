import type { Call } from '../../../kernel/call.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Shape, Slug, Type } from '../../../kernel/schema.ts';
import { bookOf } from '../../../money/prices/book.ts';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { creationOf, deletionOf, listOf, readOf } from '../../../resources/records/records.ts';
import { hardwareFor } from '../catalog/fitting.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { Architecture } from '../hardware.ts';
import { requireRoomToImport } from '../imports/import-room.ts';
import { ForVm, IMAGES, LocationRef } from '../references.ts';
import { exampleCreating, exampleRequest } from './example.ts';
import { createImageKind, deleteImageKind } from './kinds.ts';
import { imageLife } from './lifecycle.ts';
import { ImageKind } from './members.ts';
import { draftOf } from './new-image.ts';
import { imageView, publicRow } from './present.ts';
import { images } from './resource.ts';
import { CreateImage, ImageId } from './schema.ts';
import { readSource } from './source.ts';
import { findMaking, readImages } from './store.ts';
import type { ImageRow } from './table.ts';

const isPast = (day: string | null, now: Date): boolean => day !== null && Date.parse(day) <= now.getTime();

function isOffered(
  { removed_at, deprecated_at }: CatalogueImage,
  now: Date,
  withDeprecated: boolean,
): boolean {
  return !isPast(removed_at, now) && (withDeprecated || !isPast(deprecated_at, now));
}

export const listImages = listOf(imageView, {
  id: 'listImages',
  summary: 'List public and custom images',
  query: ResourceQuery({
    kind: Type.Optional({
      ...ImageKind,
      description: 'Only public images of the provider, or only your own.',
    }),
    os: Type.Optional({
      ...Slug,
      description: 'Only images of this family (`linux`) or distribution (`debian`).',
    }),
    architecture: Type.Optional({ ...Architecture, description: 'Only images for this architecture.' }),
    location: Type.Optional({ ...LocationRef, description: 'Only images that fit a plan sold there.' }),
    for_vm: ForVm,
    status: Type.Optional({ ...imageLife.Status, description: 'Only images with this status.' }),
    include_deprecated: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether deprecated images are listed too. They will be removed; do not use them for new machines.',
      }),
    ),
  }),
  async read(call) {
    const { services, now, query } = call;
    const offered = services.provider.catalogue.images.filter((image) =>
      isOffered(image, now, query.include_deprecated ?? false),
    );
    return readImages(call, offered.map(publicRow), await hardwareFor(call, query));
  },
});

/** Finds a provider image in the catalogue, without a database query. */
function findPublic({ services }: Pick<Call, 'services'>, id: string): ImageRow | undefined {
  const listed = bookOf(services.provider.catalogue).images.get(id);
  return listed && publicRow(listed);
}

export const getImage = readOf(imageView, {
  id: 'getImage',
  summary: 'Get an image by id or slug',
  params: ImageId,
  async read(call) {
    const { id = '' } = call.params;
    return findPublic(call, id) ?? imageView.find(call, id);
  },
});

export const createImage = creationOf(imageView, {
  id: 'createImage',
  summary: 'Create a custom image',
  description: [
    'The source is a machine, which may keep running, one of its snapshots, or a file at a URL. First remove everything that must not be in every copy: SSH host keys, the machine id, secrets.',
    'A file is downloaded over https, from public addresses only; at most 5 redirects are followed, and each is checked again. The file may have up to 50 GiB, the disk in it up to 2000 GB, and the import may take up to 120 minutes. The server must send at least 64 KiB per second on average, and the whole file within 90 minutes. If the disk for imports has no room, the import waits for it, and further imports of the account are refused meanwhile. The format is detected from the content. If the import fails, the image is kept for 7 days with the reason in `failure`.',
  ].join('\n\n'),
  raisesCost: true,
  body: CreateImage,
  problems: [
    'name_taken',
    'quota_exceeded',
    'invalid_state',
    'operation_in_progress',
    'resource_suspended',
    'vm_in_rescue',
    'source_unusable',
    'capacity_unavailable',
  ],
  kind: createImageKind,
  example: { body: exampleRequest, answer: exampleCreating },
  async begin(call) {
    const { body } = call;
    const source = readSource(body.source);
    const { row: draft, input, subjects, largest } = await draftOf(call, source);
    await images.requireFree(call, body.name);
    if (source.type === 'url') await requireRoomToImport(call);
    const row = await images.add(call, draft);
    const detail = `The price depends on the size of the finished image; this is the most it can cost, for ${largest.size_gb} GB.`;
    call.warn({ code: 'cost_follows_size', detail });
    const size_bytes = largest.size_gb * BYTES_PER_GB;
    return {
      row,
      ready: { status: 'available', locations: [largest.location], size_bytes },
      input,
      subjects: [...subjects, row.id],
      ...(source.type === 'url' ? { server: source.url.host } : {}),
    };
  },
});

export const deleteImage = deletionOf(imageView, {
  id: 'deleteImage',
  summary: 'Delete a custom image',
  description: 'Machines that were created from the image are full copies and do not change.',
  params: Shape({ id: Ref(ImageId.properties.id, { ...IMAGES, filters: { kind: { equals: 'custom' } } }) }),
  problems: ['resource_in_use', 'resource_protected'],
  life: imageLife,
  kind: deleteImageKind,
  input: () => ({}),
  keepsPrice: false,
  async take(call) {
    const { id = '' } = call.params;
    const listed = findPublic(call, id);
    if (listed === undefined) return images.take(call, id);
    call.checkVersion(images.etag(listed));
    throw new Problem('resource_protected', {
      detail: 'Public images of the provider cannot be deleted.',
      nextStep: 'You can delete only your own images; list them with kind=custom.',
    });
  },
  async check({ db, caller }, { id }) {
    refuseUsed(await findMaking(db, caller.account.id, id), {
      detail: 'A machine is being created from this image.',
      nextStep: 'Wait until the machines in used_by are created, then repeat the call.',
    });
  },
});
