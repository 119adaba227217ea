/** The parts of a machine in API responses. */
import { Id, Named, Nullable, OneOf, Shape, Time, Type, volatile } from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { LocationSlug, Os } from '../hardware.ts';

export const PublicIp = Named(
  'VmPublicIp',
  Shape({
    ip_id: Id('ip', { description: 'The id of the address, for example to detach it.' }),
    address: Type.String({ description: 'An IPv4 address, or an IPv6 prefix with its length.' }),
    version: Type.Integer({ description: '4 for IPv4, 6 for IPv6.' }),
    kind: OneOf(
      {
        ephemeral: 'It came with the machine and is released with it.',
        reserved: 'It is yours and stays in the account when the machine is deleted.',
      },
      { description: 'Whether you keep the address.' },
    ),
    interface_id: Nullable(
      Id('nic', { description: 'The interface that has the address; null while it is being attached.' }),
    ),
  }),
);

export const Protection = Named(
  'VmProtection',
  Shape(
    {
      delete: Type.Boolean({ description: 'Whether the machine cannot be deleted.' }),
      redeploy: Type.Boolean({ description: 'Whether its disk cannot be redeployed or restored.' }),
    },
    { description: 'What is refused until you switch the protection off with `updateVm`.' },
  ),
);

export const VmImage = Named(
  'VmImage',
  Shape({
    id: Type.String({ description: 'The id of the image; of a public image, its slug.' }),
    slug: Nullable(Type.String({ description: 'The slug of a public image; null for your own images.' })),
    name: Type.String({ description: 'The name of the image for people.' }),
    os: Os,
  }),
);

export const VmTraffic = Named(
  'VmTraffic',
  Shape(
    {
      included_gb: Type.Integer({
        'x-unit': 'GB',
        description: `What the machine may send in a month without further cost. ${GB_MEANS}`,
      }),
      used_out_gb: Nullable(
        Type.Number({
          'x-unit': 'GB',
          description:
            'Sent through all interfaces since `period_start`, as of some minutes ago. Null until it was measured.',
        }),
      ),
      used_in_gb: Nullable(Type.Number({ 'x-unit': 'GB', description: 'Received, like `used_out_gb`.' })),
      period_start: { ...Time, description: 'The start of the month, in UTC.' },
    },
    { ...volatile, description: 'The traffic of this month.' },
  ),
);

export const GuestAgent = Named(
  'VmGuestAgent',
  Shape(
    {
      connected: Type.Boolean({ description: 'Whether the agent answers now. Password resets need it.' }),
      version: Nullable(Type.String({ description: 'The version of the agent; null if it was never seen.' })),
      last_seen_at: Nullable({ ...Time, description: 'When the agent last answered; null if it never did.' }),
    },
    { ...volatile, description: 'The agent inside the machine, which the image brings along.' },
  ),
);

export const VmRequested = Named(
  'VmRequested',
  Shape(
    {
      location: { ...LocationSlug, description: 'The location that you asked for.' },
      plan: Type.String({ description: 'The plan that you asked for, or `custom`.' }),
    },
    {
      description:
        'What you asked for when you created it. A fallback can have given it another place or plan.',
    },
  ),
);

export const VmSource = Named(
  'VmSource',
  Shape(
    {
      type: OneOf(
        {
          image: 'An image: public or yours.',
          snapshot: 'A copied snapshot.',
          backup: 'A copied backup.',
          vm: 'Another machine.',
          iso: 'No copy: the disk began empty, and the machine boots the ISO.',
        },
        { description: 'What it was copied from.' },
      ),
      id: Type.String({ description: 'The id of the image, snapshot, backup, machine or ISO.' }),
    },
    { description: 'What the disk was copied from.' },
  ),
);

export const VmIso = Named(
  'VmIso',
  Shape({
    iso_id: Type.String({ description: 'The id of the ISO in the drive, or its slug if it is public.' }),
    boot_once: Type.Boolean({
      description: 'Whether the next start boots the ISO, and later ones the disk.',
    }),
  }),
);

export const VmRescue = Named(
  'VmRescue',
  Shape(
    {
      active: Type.Boolean({ description: 'Whether rescue mode is set.' }),
      expires_at: Nullable({
        ...Time,
        description: 'When rescue mode ends by itself; null if it is not set.',
      }),
    },
    { ...volatile, description: 'Rescue mode boots a separate system instead of the disk.' },
  ),
);

export const VmMaintenance = Named(
  'VmMaintenance',
  Shape({
    starts_at: { ...Time, description: 'When the maintenance begins.' },
    ends_at: { ...Time, description: 'When the maintenance is over at the latest.' },
    kind: Type.String({ description: 'What the provider will do with the machine.' }),
  }),
);
