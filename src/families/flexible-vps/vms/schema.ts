/** The schema of a machine in API responses. */

import { exampleOf } from '../../../kernel/examples.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import {
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  label,
  Named,
  Nullable,
  OwnId,
  Price,
  ProvisionedAt,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Architecture, BootMode, DiskGb, LocationSlug, MemoryMb, SecureBoot, Vcpus } from '../hardware.ts';
import { Interface } from '../interfaces/schema.ts';
import { vmLife } from './lifecycle.ts';
import {
  GuestAgent,
  Protection,
  PublicIp,
  VmImage,
  VmIso,
  VmMaintenance,
  VmRequested,
  VmRescue,
  VmSource,
  VmTraffic,
} from './parts-schema.ts';

export const Vm = Named(
  'Vm',
  Shape({
    id: OwnId('vm'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    status: vmLife.ShownStatus,
    status_reason: Nullable(
      Type.String({
        ...volatile,
        description: 'The code of the error that led to this status; null if there was none.',
      }),
    ),
    operation: PendingOperation,
    location: LocationSlug,
    plan: Type.String({ description: 'The slug of the plan, or `custom`.' }),
    requested: VmRequested,
    vcpus: Vcpus,
    memory_mb: MemoryMb,
    disk_gb: {
      ...DiskGb,
      description: `The size of the root disk in GB. It can only grow. ${GB_MEANS}`,
    },
    architecture: Architecture,
    hostname: Type.String({
      format: 'hostname',
      description: 'The host name that cloud-init sets in the guest.',
    }),
    image: Nullable({
      ...VmImage,
      description: 'The image that the disk was made from; null if it was made from none.',
    }),
    source: VmSource,
    boot_mode: BootMode,
    secure_boot: SecureBoot,
    interfaces: Type.Array(Interface, { description: 'The network interfaces of the machine.' }),
    public_ips: Type.Array(PublicIp, { description: 'The public addresses of the machine.' }),
    primary_ipv4: Nullable(
      Type.String({
        format: 'ipv4',
        ...label('Public IPv4 address'),
        description: 'The public IPv4 address that the guest uses; null if it has none.',
      }),
    ),
    primary_ipv6: Nullable(
      Type.String({
        format: 'ipv6',
        description: 'The public IPv6 address that the guest uses; null if it has none.',
      }),
    ),
    ipv6_prefix: Nullable(
      Type.String({
        format: 'cidr',
        description: 'The public IPv6 prefix of the machine; null if it has none.',
      }),
    ),
    volume_ids: Type.Array(Id('vol'), {
      description: 'The volumes of the machine, also those that are being attached.',
    }),
    iso: Nullable({ ...VmIso, description: 'The ISO in the drive; null if it is empty.' }),
    firewall_ids: Type.Array(Id('fw'), {
      description: 'The firewalls that apply to interfaces of the machine, however they are attached.',
    }),
    placement_group_id: Nullable(
      Id('pg', { description: 'The placement group of the machine; null if it is in none.' }),
    ),
    backup_policy_id: Nullable(
      Id('bpol', { description: 'The policy that backs the machine up; null if there is none.' }),
    ),
    ssh_key_ids: Type.Array(Id('sshkey'), {
      description: 'The SSH keys that were installed at the last create or redeploy.',
    }),
    user_data_sha256: Nullable(
      Type.String({
        description:
          'SHA-256 of the stored user data; null if there is none. The data itself is never shown.',
      }),
    ),
    user_data_pending: Type.Boolean({
      ...volatile,
      description: 'Whether the stored user data differs from the user data that the guest last applied.',
    }),
    rescue: VmRescue,
    guest_agent: GuestAgent,
    protection: Protection,
    traffic: VmTraffic,
    host_group: Nullable(
      Type.String({
        ...volatile,
        description: 'The same value for all your machines on the same host; null if it is not known.',
      }),
    ),
    maintenance: Nullable({
      ...VmMaintenance,
      ...volatile,
      description: 'The maintenance that is planned; null if none is.',
    }),
    price: {
      ...Price,
      ...volatile,
      description: 'What the machine costs in its present state, as it is billed, net of tax.',
    },
    price_running: {
      ...Price,
      ...volatile,
      description: 'What the machine costs while it runs, net of tax.',
    },
    price_stopped: {
      ...Price,
      ...volatile,
      description: 'What the machine costs while it is stopped, net of tax.',
    },
    started_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the machine last started; null if it never did.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'plan', 'location', 'image', 'primary_ipv4', 'price'] },
);
export type Vm = Static<typeof Vm>;

export const VmId = Shape({ id: Id('vm') });

export const exampleVm = exampleOf(Vm, {
  name: 'web-1',
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
  rescue: { active: false, expires_at: null },
  guest_agent: { connected: true, version: '1.0', last_seen_at: '2026-03-01T10:00:00.000Z' },
  traffic: {
    included_gb: 20000,
    used_out_gb: null,
    used_in_gb: null,
    period_start: '2026-03-01T00:00:00.000Z',
  },
  price: { hourly: '0.011700', monthly: '8.00', currency: 'EUR' },
  price_running: { hourly: '0.011700', monthly: '8.00', currency: 'EUR' },
  price_stopped: { hourly: '0.000700', monthly: '0.50', currency: 'EUR' },
  started_at: '2026-03-01T10:00:00.000Z',
  provisioned_at: '2026-03-01T10:00:20.000Z',
});
