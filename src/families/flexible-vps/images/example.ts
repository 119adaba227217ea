import type { OperationView } from '../../../kernel/operations/schema.ts';
import type { CreateImage, Image } from './schema.ts';

export const exampleImage: Image = {
  id: 'img_01jqzv2m7xe9rs5d3k8w4t6y0b',
  kind: 'custom',
  slug: null,
  name: 'golden-web',
  description: '',
  labels: { team: 'platform' },
  os: { family: 'linux', distribution: 'debian', version: '13' },
  architecture: 'amd64',
  boot_mode: 'uefi',
  secure_boot: false,
  min_disk_gb: 10,
  min_memory_mb: 512,
  size_bytes: 734003200,
  sha256: '5c7bfb6e0b1d8e2fca0a9b6c1f5a3c3f4d7e8f90a1b2c3d4e5f60718293a4b5c',
  cloud_init: true,
  guest_agent: false,
  default_user: 'root',
  source: { type: 'url', id: null, url: 'https://images.example.com/golden-web.qcow2' },
  locations: ['fra1', 'ams1', 'hel1'],
  status: 'available',
  progress_percent: null,
  failure: null,
  operation: null,
  deprecated_at: null,
  removed_at: null,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  provisioned_at: '2026-03-01T10:04:00.000Z',
  updated_at: '2026-03-01T10:04:00.000Z',
};

export const exampleRequest: CreateImage = {
  name: 'golden-web',
  labels: { team: 'platform' },
  source: {
    type: 'url',
    url: 'https://images.example.com/golden-web.qcow2?signature=abc',
    architecture: 'amd64',
    os: { family: 'linux', distribution: 'debian', version: '13' },
  },
};

const exampleOperation: OperationView = {
  id: 'op_01jqzv2m7xe9rs5d3k8w4t6y0b',
  type: 'image.create',
  family: 'flexible-vps',
  status: 'queued',
  done: false,
  progress_percent: null,
  step: '',
  waiting_for: null,
  resource: { type: 'image', id: exampleImage.id, name: exampleImage.name },
  related: [],
  warnings: [],
  cancellable: true,
  parent_id: null,
  children: null,
  error: null,
  result: null,
  actor: { kind: 'api_key', api_key_id: 'key_01jqzv2m7xe9rs5d3k8w4t6y0b', member_id: null },
  request_id: null,
  expected_seconds: 120,
  deadline_at: '2026-03-01T12:00:00.000Z',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
  started_at: null,
  finished_at: null,
  href: 'https://api.host.example/account/v1/operations/op_01jqzv2m7xe9rs5d3k8w4t6y0b',
  etag: 'q3w2c9T1hVb7Zk0m',
};

export const exampleCreating: Image = {
  ...exampleImage,
  min_disk_gb: 1,
  size_bytes: null,
  sha256: null,
  locations: [],
  status: 'creating',
  progress_percent: 0,
  provisioned_at: null,
  operation: exampleOperation,
  updated_at: exampleImage.created_at,
};

export const exampleDeleting: Image = {
  ...exampleImage,
  status: 'deleting',
  operation: { ...exampleOperation, type: 'image.delete', cancellable: false, expected_seconds: 5 },
};
