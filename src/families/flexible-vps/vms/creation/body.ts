import type { FieldError } from '../../../../kernel/problems/problem.ts';
import type { AnyObject } from '../../../../kernel/record.ts';
import { Id, Labels, OneOf, ResourceName, Shape, type Static, Type } from '../../../../kernel/schema.ts';
import {
  ImageRef,
  LocationRef,
  NetworkRef,
  PlacementGroupRef,
  PlanRef,
  PublicIpRef,
  SnapshotRef,
  SshKeyRef,
  VmRef,
} from '../../references.ts';

export const CustomSize = Shape({
  vcpus: Type.Integer({ minimum: 1, maximum: 1024 }),
  memory_mb: Type.Integer({ minimum: 1, maximum: 16_777_216 }),
  disk_gb: Type.Integer({ minimum: 1, maximum: 100_000 }),
});

export const Hostname = Type.Unsafe<string>({
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$',
  maxLength: 253,
});

/** The limit leaves room for base64. `readUserData` checks the size of the decoded data. */
export const UserData = Type.String({
  maxLength: 90_000,
  description: 'User data for cloud-init, at most 65536 bytes after decoding. Never shown again.',
  writeOnly: true,
});
export const UserDataEncoding = OneOf(['plain', 'base64'], { default: 'plain' });
export const SshKeyIds = Type.Array(SshKeyRef, { maxItems: 50, uniqueItems: true });

const Source = Shape({
  type: OneOf(['image', 'snapshot', 'vm', 'backup', 'iso']),
  image_id: Type.Optional(ImageRef),
  vm_id: Type.Optional({
    ...VmRef,
    description: 'Required with the type `vm`; allowed with `snapshot`.',
  }),
  snapshot_id: Type.Optional(SnapshotRef('/source/vm_id')),
  backup_id: Type.Optional(Id('bkp')),
  iso_id: Type.Optional(Id('iso')),
});

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
  description: Type.Optional(Type.String({ maxLength: 255 })),
  labels: Type.Optional(Labels),
  location: LocationRef,
  plan: Type.Optional(PlanRef('/location')),
  custom_size: Type.Optional(CustomSize),
  disk_gb: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  fallbacks: Type.Optional(
    Type.Array(
      Shape({ location: Type.Optional(LocationRef), plan: Type.Optional(PlanRef('/fallbacks/*/location')) }),
      {
        maxItems: 5,
        description: 'Other locations or plans, tried in this order if there is no capacity.',
      },
    ),
  ),
  source: Source,
  ssh_key_ids: Type.Optional(SshKeyIds),
  user_data: Type.Optional(UserData),
  user_data_encoding: Type.Optional(UserDataEncoding),
  generate_password: Type.Optional(
    Type.Boolean({
      description: 'Default: true if you send neither an SSH key nor user data that cloud-init reads.',
    }),
  ),
  public_ipv4: Type.Optional(
    Shape({ mode: OneOf(['ephemeral', 'reserved', 'none']), ip_id: Type.Optional(PublicIpRef) }),
  ),
  public_ipv6: Type.Optional(Type.Boolean({ default: true })),
  networks: Type.Optional(
    Type.Array(
      Shape({
        network_id: NetworkRef('/location'),
        ipv4: Type.Optional(Type.String({ maxLength: 45 })),
        alias_ips: Type.Optional(Type.Array(Type.String({ maxLength: 49 }), { maxItems: 10 })),
      }),
      { maxItems: 8 },
    ),
  ),
  firewall_ids: Type.Optional(Type.Array(Id('fw'), { maxItems: 10, uniqueItems: true })),
  volume_ids: Type.Optional(Type.Array(Id('vol'), { maxItems: 16, uniqueItems: true })),
  placement_group_id: Type.Optional(PlacementGroupRef('/location')),
  backup_policy_id: Type.Optional(Id('bpol')),
  start: Type.Optional(Type.Boolean({ default: true })),
  boot_mode: Type.Optional(OneOf(['uefi', 'bios'])),
  secure_boot: Type.Optional(Type.Boolean()),
  protection: Type.Optional(
    Shape({ delete: Type.Optional(Type.Boolean()), redeploy: Type.Optional(Type.Boolean()) }),
  ),
});
export type CreateVm = Static<typeof CreateVm>;
