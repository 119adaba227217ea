/** Members that machines, plans, images and their requests share, each described once. */
import { label, Named, OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import { GB_MEANS } from './gigabytes.ts';

export const Architecture = Named(
  'Architecture',
  OneOf(
    { amd64: '64-bit x86, from Intel or AMD.', arm64: '64-bit ARM.' },
    { description: 'The kind of processor. A disk boots only on the processor that it was made for.' },
  ),
);

export const BootMode = Named(
  'BootMode',
  OneOf(
    { uefi: 'With UEFI firmware.', bios: 'With the older BIOS, for old systems.' },
    { description: 'How the machine starts its disk. The image decides it.' },
  ),
);

export const LocationSlug = Named(
  'LocationSlug',
  Type.String({ description: 'The slug of the location, such as `fra1`.' }),
);

export const Vcpus = Named(
  'Vcpus',
  Type.Integer({ ...label('Virtual processors'), description: 'The number of virtual processors.' }),
);

export const MemoryMb = Named(
  'MemoryMb',
  Type.Integer({
    'x-unit': 'MB',
    ...label('Memory'),
    description: 'The memory in MB. An MB has 2^20 bytes.',
  }),
);

export const DiskGb = Named(
  'DiskGb',
  Type.Integer({
    'x-unit': 'GB',
    ...label('Disk size'),
    description: `The size of the root disk in GB. ${GB_MEANS}`,
  }),
);

export const SecureBoot = Named(
  'SecureBoot',
  Type.Boolean({ description: 'Whether the firmware starts only signed systems.' }),
);

export const OsFamily = Named(
  'OsFamily',
  OneOf(
    { linux: 'A Linux distribution.', windows: 'Microsoft Windows.', bsd: 'A BSD, such as FreeBSD.' },
    { description: 'The kind of operating system.' },
  ),
);

export const Os = Named(
  'Os',
  Shape(
    {
      family: OsFamily,
      distribution: Type.String({ description: 'The distribution or edition, such as `ubuntu`.' }),
      version: Type.String({ description: 'The version of the distribution; empty if it is not known.' }),
    },
    { description: 'The operating system that the image contains.' },
  ),
);
export type Os = Static<typeof Os>;

/** Why a machine cannot boot an image, and which images it can boot. */
export const unfitImage = (image: string, machine: string): string =>
  `The image is for ${image}, the machine is ${machine}. GET /flexible-vps/v1/images?architecture=${machine} lists the images that fit.`;
