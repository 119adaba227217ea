import { exampleOf } from '../../../kernel/examples.ts';
import { view } from '../../../resources/records/records.ts';
import { volumes } from './resource.ts';
import { Volume } from './schema.ts';

const id = 'vol_01jqzv2m7xe9rs5d3k8w4t6y0b';

export const volumeView = view(volumes, {
  schema: Volume,
  example: exampleOf(Volume, {
    name: 'data',
    location: 'fra1',
    size_gb: 100,
    tier: 'standard',
    device_path: `/dev/disk/by-id/scsi-${id}`,
    serial: id,
    online_resize: true,
  }),
  compute: (row, { services }) => ({
    online_resize: services.compute.at(row.location)?.capabilities.onlineVolumeResize === true,
    protection: { delete: row.protected },
  }),
});
export const exampleVolume = volumeView.example;
