/** Enumerations of images and of the requests that create them. */
import { advanced, Named, OneOf } from '../../../kernel/schema.ts';

export const sourceTypes = {
  vm: 'The disk of a machine of yours.',
  snapshot: 'A snapshot of a machine of yours.',
  backup: 'A backup of a machine of yours.',
  url: 'A file that is downloaded.',
} as const;

export const ImageKind = Named(
  'ImageKind',
  OneOf(
    { public: 'The provider offers it to all accounts.', custom: 'You made it.' },
    { description: 'Whose image it is.' },
  ),
);

export const ImageFormat = OneOf(
  {
    qcow2: 'A QEMU disk image.',
    raw: 'The plain bytes of a disk.',
    vmdk: 'A VMware disk image.',
  },
  {
    ...advanced,
    description:
      'The format that the file must have. If left out, the format is detected. The file may be packed with gzip, xz or zstd.',
  },
);
