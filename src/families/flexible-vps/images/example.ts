import { exampleId, exampleOf } from '../../../kernel/examples.ts';
import { type CreateImage, Image } from './schema.ts';

export const exampleImage = exampleOf(Image, {
  id: exampleId('img'),
  kind: 'custom',
  name: 'golden-web',
  labels: { team: 'platform' },
  os: { family: 'linux', distribution: 'debian', version: '13' },
  boot_mode: 'uefi',
  min_disk_gb: 10,
  min_memory_mb: 512,
  size_bytes: 734003200,
  sha256: '5c7bfb6e0b1d8e2fca0a9b6c1f5a3c3f4d7e8f90a1b2c3d4e5f60718293a4b5c',
  cloud_init: true,
  default_user: 'root',
  source: { type: 'url', id: null, url: 'https://images.example.com/golden-web.qcow2' },
  locations: ['fra1', 'ams1', 'hel1'],
  provisioned_at: '2026-03-01T10:04:00.000Z',
  updated_at: '2026-03-01T10:04:00.000Z',
});

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

/** What differs while the image is being created. */
export const exampleCreating = {
  min_disk_gb: 1,
  size_bytes: null,
  sha256: null,
  locations: [],
  progress_percent: 0,
  updated_at: exampleImage.created_at,
};
