/** The schema of a machine in API responses. */

import { OperationView } from '../../../kernel/operations/schema.ts';
import {
  Id,
  Labels,
  Named,
  Nullable,
  OneOf,
  Price,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Interface } from '../interfaces/schema.ts';
import { vmLife } from './lifecycle.ts';

export const Os = Shape({ family: Type.String(), distribution: Type.String(), version: Type.String() });

export const PublicIp = Named(
  'VmPublicIp',
  Shape({
    ip_id: Id('ip'),
    address: Type.String({ description: 'An IPv4 address, or an IPv6 prefix with its length.' }),
    version: Type.Integer(),
    kind: OneOf(['ephemeral', 'reserved']),
    interface_id: Nullable(Id('nic')),
  }),
);

export const Protection = Shape({ delete: Type.Boolean(), redeploy: Type.Boolean() });

export const Vm = Named(
  'Vm',
  Shape({
    id: Id('vm'),
    name: ResourceName,
    description: Type.String(),
    labels: Labels,
    status: vmLife.ShownStatus,
    status_reason: Nullable(Type.String({ description: 'The code of the error that led to this status.' })),
    operation: Nullable(OperationView),
    location: Type.String(),
    plan: Type.String({ description: 'The slug of the plan, or `custom`.' }),
    requested: Shape({ location: Type.String(), plan: Type.String() }),
    vcpus: Type.Integer(),
    memory_mb: Type.Integer(),
    disk_gb: Type.Integer({ description: GB_MEANS }),
    architecture: OneOf(['amd64', 'arm64']),
    hostname: Type.String(),
    image: Nullable(Shape({ id: Type.String(), slug: Nullable(Type.String()), name: Type.String(), os: Os })),
    source: Shape({ type: Type.String(), id: Type.String() }),
    boot_mode: OneOf(['uefi', 'bios']),
    secure_boot: Type.Boolean(),
    interfaces: Type.Array(Interface),
    public_ips: Type.Array(PublicIp),
    primary_ipv4: Nullable(Type.String()),
    primary_ipv6: Nullable(Type.String()),
    ipv6_prefix: Nullable(Type.String()),
    volume_ids: Type.Array(Id('vol')),
    iso: Nullable(Shape({ iso_id: Id('iso'), boot_once: Type.Boolean() })),
    firewall_ids: Type.Array(Id('fw')),
    placement_group_id: Nullable(Id('pg')),
    backup_policy_id: Nullable(Id('bpol')),
    ssh_key_ids: Type.Array(Id('sshkey'), {
      description: 'The SSH keys that were installed at the last create or redeploy.',
    }),
    user_data_sha256: Nullable(
      Type.String({ description: 'SHA-256 of the stored user data. The user data itself is never shown.' }),
    ),
    user_data_pending: Type.Boolean({
      description: 'Whether the stored user data differs from the user data that the guest last applied.',
    }),
    rescue: Shape({ active: Type.Boolean(), expires_at: Nullable(Time) }),
    guest_agent: Shape({
      connected: Type.Boolean(),
      version: Nullable(Type.String()),
      last_seen_at: Nullable(Time),
    }),
    protection: Protection,
    traffic: Shape({
      included_gb: Type.Integer({ description: GB_MEANS }),
      used_out_gb: Nullable(
        Type.Number({
          description:
            'Sent through all interfaces since `period_start`, as of some minutes ago. Null until it was measured.',
        }),
      ),
      used_in_gb: Nullable(Type.Number({ description: 'Received, like `used_out_gb`.' })),
      period_start: { ...Time, description: 'The start of the month, in UTC.' },
    }),
    host_group: Nullable(
      Type.String({ description: 'The same value for all your machines on the same host.' }),
    ),
    maintenance: Nullable(Shape({ starts_at: Time, ends_at: Time, kind: Type.String() })),
    price: Price,
    price_running: Price,
    price_stopped: Price,
    started_at: Nullable(Time),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type Vm = Static<typeof Vm>;

export const VmId = Shape({ id: Id('vm') });

export const exampleVm: Vm = {
  id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'web-1',
  description: '',
  labels: { env: 'prod' },
  status: 'running',
  status_reason: null,
  operation: null,
  location: 'fra1',
  plan: 'flex-2-4',
  requested: { location: 'fra1', plan: 'flex-2-4' },
  vcpus: 2,
  memory_mb: 4096,
  disk_gb: 80,
  architecture: 'amd64',
  hostname: 'web-1',
  image: {
    id: 'ubuntu-24.04',
    slug: 'ubuntu-24.04',
    name: 'Ubuntu 24.04 LTS',
    os: { family: 'linux', distribution: 'ubuntu', version: '24.04' },
  },
  source: { type: 'image', id: 'ubuntu-24.04' },
  boot_mode: 'uefi',
  secure_boot: false,
  interfaces: [],
  public_ips: [
    {
      ip_id: 'ip_01jqzv2m7xe9rs5d3k8w4t6y0b',
      address: '203.0.113.20',
      version: 4,
      kind: 'ephemeral',
      interface_id: 'nic_01jqzv2m7xe9rs5d3k8w4t6y0b',
    },
  ],
  primary_ipv4: '203.0.113.20',
  primary_ipv6: null,
  ipv6_prefix: null,
  volume_ids: [],
  iso: null,
  firewall_ids: [],
  placement_group_id: null,
  backup_policy_id: null,
  ssh_key_ids: [],
  user_data_sha256: null,
  user_data_pending: false,
  rescue: { active: false, expires_at: null },
  guest_agent: { connected: true, version: '1.0', last_seen_at: '2026-03-01T10:00:00.000Z' },
  protection: { delete: false, redeploy: false },
  traffic: {
    included_gb: 20000,
    used_out_gb: null,
    used_in_gb: null,
    period_start: '2026-03-01T00:00:00.000Z',
  },
  host_group: null,
  maintenance: null,
  price: { hourly: '0.011700', monthly: '8.00', currency: 'EUR' },
  price_running: { hourly: '0.011700', monthly: '8.00', currency: 'EUR' },
  price_stopped: { hourly: '0.000700', monthly: '0.50', currency: 'EUR' },
  started_at: '2026-03-01T10:00:00.000Z',
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};
