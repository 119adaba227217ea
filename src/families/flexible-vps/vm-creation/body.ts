import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { readAs } from '../../../kernel/member-marks.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import type { AnyObject } from '../../../kernel/record.ts';
import {
  advanced,
  Labels,
  label,
  Named,
  NewDescription,
  OneOf,
  ResourceName,
  Shape,
  type Static,
  Type,
  unlessSent,
  whenSent,
} from '../../../kernel/schema.ts';
import { hostName } from '../../../kernel/text-patterns.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { BootMode } from '../hardware.ts';
import {
  BackupPolicyRef,
  FirewallRef,
  LocationRef,
  NewPlanRef,
  NewVmNetworkRef,
  NewVmPlacementGroupRef,
  NewVmVolumeRef,
  SshKeyRef,
} from '../references.ts';
import { NewPublicIpv4, NewVmSource } from './alternatives.ts';

export const CustomSize = Shape({
  vcpus: Type.Integer({
    minimum: 1,
    maximum: 1024,
    ...readAs('/vcpus'),
    ...label('Virtual processors'),
    description: 'The number of virtual processors.',
  }),
  memory_mb: Type.Integer({
    minimum: 1,
    maximum: 16_777_216,
    'x-unit': 'MB',
    ...readAs('/memory_mb'),
    ...label('Memory'),
    description: 'The memory in MB. An MB has 2^20 bytes.',
  }),
  disk_gb: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    'x-unit': 'GB',
    ...readAs('/disk_gb'),
    ...label('Disk size'),
    description: `The size of the root disk in GB. It can only grow later. ${GB_MEANS}`,
  }),
});

export const Hostname = Type.Unsafe<string>({
  type: 'string',
  ...hostName,
  maxLength: 253,
  format: 'hostname',
  ...addressFor('host_name'),
  ...advanced,
  description: 'The host name that cloud-init sets in the guest. Default: the name of the machine.',
});

/** The limit leaves room for base64. `readUserData` checks the size of the decoded data. */
export const UserData = Type.String({
  maxLength: 90_000,
  ...label('cloud-init user data'),
  ...advanced,
  description:
    'User data for cloud-init, at most 65536 bytes after decoding. Never shown again. Default: none.',
  writeOnly: true,
  ...readAs({ sha256: '/user_data_sha256' }),
});
export const UserDataEncoding = Named(
  'UserDataEncoding',
  OneOf(
    { plain: 'The text as it is.', base64: 'Base64, for data that is not text.' },
    {
      default: 'plain',
      ...advanced,
      ...whenSent('user_data'),
      description: 'How `user_data` is written in the request.',
    },
  ),
);
export const SshKeyIds = Type.Array(SshKeyRef, {
  maxItems: 50,
  uniqueItems: true,
  ...label('SSH keys'),
  description: 'SSH keys of the account to install for the default user of the image. Default: none.',
});
export const NewProtection = {
  delete: Type.Boolean({ default: false, description: 'Refuse to delete the machine.' }),
  redeploy: Type.Boolean({
    default: false,
    description: 'Refuse to redeploy the machine or to restore its disk.',
  }),
};

const SIZE_MISSING: FieldError = {
  pointer: '/plan',
  code: 'required',
  detail: 'Give plan, or custom_size for a size of your own.',
};

export const missingSize = ({ plan, custom_size }: AnyObject): FieldError[] =>
  plan === undefined && custom_size === undefined ? [SIZE_MISSING] : [];

export const CreateVm = Shape({
  name: ResourceName,
  hostname: Type.Optional(Hostname),
  description: Type.Optional(NewDescription),
  labels: Type.Optional({ ...Labels, default: {} }),
  location: {
    ...LocationRef,
    description: 'The slug of the location, such as `fra1`. It cannot be changed later.',
  },
  source: NewVmSource,
  plan: Type.Optional({
    ...NewPlanRef('/location'),
    ...unlessSent('custom_size'),
    description: 'The slug of a plan. Required without `custom_size`.',
  }),
  custom_size: Type.Optional({
    ...CustomSize,
    ...unlessSent('plan'),
    ...advanced,
    description: 'A size of your own, within the limits of the plan `custom`. Send it without `plan`.',
  }),
  disk_gb: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      'x-unit': 'GB',
      ...label('Disk size'),
      ...unlessSent('custom_size'),
      description: `The size of the root disk in GB; what exceeds the plan is billed. Default: the disk of the plan. ${GB_MEANS}`,
    }),
  ),
  fallbacks: Type.Optional(
    Type.Array(
      Shape({
        location: Type.Optional({
          ...LocationRef,
          description: 'Another location. Default: that of the request.',
        }),
        plan: Type.Optional({
          ...NewPlanRef('/fallbacks/*/location', '/location'),
          description: 'Another plan. Default: the size of the request.',
        }),
      }),
      {
        maxItems: 5,
        default: [],
        ...label('If there is no capacity'),
        ...advanced,
        description: 'Other locations or plans, tried in this order if there is no capacity.',
      },
    ),
  ),
  ssh_key_ids: Type.Optional({ ...SshKeyIds, default: [] }),
  user_data: Type.Optional(UserData),
  user_data_encoding: Type.Optional(UserDataEncoding),
  generate_password: Type.Optional(
    Type.Boolean({
      ...advanced,
      description:
        'Whether the answer contains a new password for the default user. Default: true if you send neither an SSH key nor user data that cloud-init reads.',
    }),
  ),
  public_ipv4: Type.Optional(NewPublicIpv4),
  public_ipv6: Type.Optional(
    Type.Boolean({
      default: true,
      ...readAs({ present: '/ipv6_prefix' }),
      ...label('Public IPv6 prefix'),
      description: 'Whether the machine gets a public IPv6 prefix.',
    }),
  ),
  networks: Type.Optional(
    Type.Array(
      Shape({
        network_id: {
          ...NewVmNetworkRef,
          description: 'A private network in the same location.',
        },
        ipv4: Type.Optional(
          Type.String({
            maxLength: 45,
            format: 'ipv4',
            ...addressFor('private_address'),
            description: 'A free address of the network. Default: the lowest free address.',
          }),
        ),
        alias_ips: Type.Optional(
          Type.Array(Type.String({ maxLength: 49, ...addressFor('private_address') }), {
            maxItems: 10,
            default: [],
            ...label('Additional addresses'),
            ...advanced,
            description:
              'Additional addresses of the network for this interface. Stored as a sorted list of their shortest forms.',
          }),
        ),
      }),
      {
        maxItems: 8,
        default: [],
        ...readAs('/interfaces'),
        ...label('Private networks'),
        description: 'The private networks that the machine joins.',
      },
    ),
  ),
  firewall_ids: Type.Optional(
    Type.Array(FirewallRef, {
      maxItems: 10,
      uniqueItems: true,
      default: [],
      ...label('Firewalls'),
      ...advanced,
      description: 'Firewalls that are attached to the machine. They are in force before its first start.',
    }),
  ),
  volume_ids: Type.Optional(
    Type.Array(NewVmVolumeRef, {
      maxItems: 16,
      uniqueItems: true,
      default: [],
      ...label('Volumes'),
      ...advanced,
      description:
        'Volumes in the same location that no machine has. They are attached before the first start.',
    }),
  ),
  placement_group_id: Type.Optional({
    ...NewVmPlacementGroupRef,
    ...label('Placement group'),
    ...advanced,
    description: 'A placement group in the same location. Default: none.',
  }),
  backup_policy_id: Type.Optional({
    ...BackupPolicyRef,
    ...label('Backup policy'),
    ...advanced,
    description: 'The policy that backs the machine up. Default: none.',
  }),
  start: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the machine is started when it is created.' }),
  ),
  boot_mode: Type.Optional({
    ...BootMode,
    ...advanced,
    description: 'How the machine boots. Default: as the source does, which is the only value accepted.',
  }),
  secure_boot: Type.Optional(
    Type.Boolean({
      ...advanced,
      description: 'Whether the firmware starts only signed systems. Default: on if the source supports it.',
    }),
  ),
  protection: Type.Optional(
    Shape(
      {
        delete: Type.Optional(NewProtection.delete),
        redeploy: Type.Optional(NewProtection.redeploy),
      },
      { default: {}, description: 'What is refused until you switch the protection off with `updateVm`.' },
    ),
  ),
});
export type CreateVm = Static<typeof CreateVm>;
