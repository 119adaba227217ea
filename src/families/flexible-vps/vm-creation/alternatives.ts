/** The members of createVm that have alternatives. */
import { readAs } from '../../../kernel/member-marks.ts';
import { label } from '../../../kernel/schema.ts';
import { Variants } from '../../../kernel/variants.ts';
import { NearVmRef, NewImageRef, NewIsoRef, PublicIpRef } from '../references.ts';
import { backupSource, snapshotSource } from '../snapshots/source.ts';

export const NewVmSource = Variants(
  'NewVmSource',
  'type',
  {
    image: {
      means: 'A public image or an image of your own.',
      members: {
        image_id: {
          ...NewImageRef,
          ...readAs('/source/id'),
          description: 'The id of an image, or the slug of a public one.',
        },
      },
    },
    snapshot: {
      means: 'A snapshot of a machine in the same location.',
      members: snapshotSource(NearVmRef, '/location'),
    },
    vm: {
      means: 'The disk of a machine in the same location.',
      members: { vm_id: { ...NearVmRef, ...readAs('/source/id'), description: 'The machine to copy.' } },
    },
    backup: { means: 'A backup of any machine, in any location.', members: backupSource },
    iso: {
      means: 'An empty disk, and an ISO in the drive, from which the machine boots.',
      members: {
        iso_id: {
          ...NewIsoRef,
          ...readAs('/source/id'),
          description: 'The id of an ISO that the location has, or its slug.',
        },
      },
    },
  },
  { description: 'Where the disk comes from.' },
);

export const NewPublicIpv4 = Variants(
  'NewPublicIpv4',
  'mode',
  {
    ephemeral: { means: 'A new address, which is released with the machine.', members: {} },
    reserved: {
      means: 'A reserved address of the account.',
      members: {
        ip_id: {
          ...PublicIpRef,
          ...readAs('/public_ips/*/ip_id'),
          description: 'A free reserved IPv4 address.',
        },
      },
    },
    none: { means: 'No public IPv4 address.', members: {} },
  },
  {
    default: { mode: 'ephemeral' },
    ...label('Public IPv4 address'),
    description: 'The public IPv4 address of the machine, which is billed.',
  },
  readAs('/public_ips/*/kind'),
);
