/** What an image can be made from. */
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { readAs } from '../../../kernel/member-marks.ts';
import { advanced, byRule, label, Secret, Shape, Type } from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { Variants } from '../../../kernel/variants.ts';
import { Architecture, BootMode, OsFamily } from '../hardware.ts';
import { VmRef } from '../references.ts';
import { backupSource, snapshotSource } from '../snapshots/source.ts';
import { ImageFormat, sourceTypes } from './members.ts';

const Sha256 = Type.String({
  ...label('SHA-256 of the file'),
  ...advanced,
  ...written(
    '^[0-9a-f]{64}$',
    'Must be a SHA-256: 64 digits from 0 to 9 and lower-case letters from a to f.',
  ),
  description:
    'The SHA-256 that the downloaded file must have, before it is unpacked. Default: it is not checked.',
});

/** One word or two, such as `windows-server`: no room for a sentence, so that agents can take it as a word of the product. */
const Distribution = Type.String({
  ...byRule,
  minLength: 1,
  maxLength: 63,
  ...written(
    '^[a-z0-9]+(-[a-z0-9]+)?$',
    'Use one word of lower-case letters and digits, such as ubuntu, or two with a hyphen between them.',
  ),
  description: 'The distribution or edition, such as `ubuntu`.',
});

/** Up to three numbers with dots or hyphens, perhaps with a word behind them (`9-stream`); or one word, such as `rolling`. */
const VERSION = '^([A-Za-z]+|[0-9]+[a-z]*([.-][0-9]+[a-z]*){0,2}(-[a-z]+)?)?$';

const FileSource = {
  url: Secret(
    Type.String({
      maxLength: 2048,
      format: 'uri',
      ...addressFor('called_url'),
      writeOnly: true,
      description:
        'An https address without user and password. Stored as a URL in normal form, with the host in lower case. The query is never shown again, so you can use signed links.',
    }),
  ),
  architecture: {
    ...Architecture,
    ...readAs('/architecture'),
    description: 'The processor that the system in the file is made for.',
  },
  format: Type.Optional({ ...ImageFormat, writeOnly: true }),
  sha256: Type.Optional({ ...Sha256, writeOnly: true }),
  os: Type.Optional(
    Shape(
      {
        family: Type.Optional({ ...OsFamily, default: 'linux' }),
        distribution: Type.Optional({ ...Distribution, default: 'other' }),
        version: Type.Optional(
          Type.String({
            ...byRule,
            maxLength: 63,
            ...written(VERSION, 'Must be a version such as 24.04 or 9-stream, or one word such as rolling.'),
            default: '',
            description: 'The version of the distribution, such as `24.04`.',
          }),
        ),
      },
      {
        default: {},
        ...readAs('/os'),
        ...label('Operating system'),
        description: 'The operating system in the file, for display. Default: unknown Linux.',
      },
    ),
  ),
  boot_mode: Type.Optional({
    ...BootMode,
    ...advanced,
    default: 'uefi',
    ...readAs('/boot_mode'),
    description: 'How machines of this image boot.',
  }),
};

export const NewImageSource = Variants(
  'NewImageSource',
  'type',
  {
    vm: {
      means: sourceTypes.vm,
      members: { vm_id: { ...VmRef, ...readAs('/source/id'), description: 'The machine to copy.' } },
    },
    snapshot: { means: sourceTypes.snapshot, members: snapshotSource(VmRef) },
    backup: { means: sourceTypes.backup, members: backupSource },
    url: { means: sourceTypes.url, members: FileSource },
  },
  { description: 'What the image is made from.' },
);
