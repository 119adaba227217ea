/** A bucket with a user of its own, and the setting of the provider's file for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bandwidth } from '../engines/objects/bandwidth.ts';
import { S3Client } from '../engines/objects/s3/client.ts';
import { BackupStore, backupPlaceOf } from '../engines/objects/settings.ts';
import { fillDefaults } from '../provider/draft.ts';
import type { S3User, TestCeph } from './ceph.ts';

export interface TestBucket {
  readonly user: S3User;
  readonly setting: BackupStore;
  close(): Promise<void>;
}

/** `endpoint` is that of a proxy in front of the store. */
export async function makeBucket(ceph: TestCeph, endpoint = ceph.endpoint): Promise<TestBucket> {
  const user = await ceph.makeUser();
  const folder = await mkdtemp(join(tmpdir(), 'hostplane-bucket-'));
  const files = { access_key_file: join(folder, 'access-key'), secret_key_file: join(folder, 'secret-key') };
  await writeFile(files.access_key_file, `${user.accessKey}\n`);
  await writeFile(files.secret_key_file, `${user.secretKey}\n`);
  const given = { driver: 's3', endpoint, bucket: `b${user.uid.slice(0, 20)}`, ...files };
  const setting = fillDefaults(BackupStore, given) as BackupStore;
  const place = backupPlaceOf({ ...setting, endpoint: ceph.endpoint });
  if (place.driver !== 's3') throw new Error('not a bucket');
  const client = new S3Client(place, new Bandwidth(null));
  await client.send('PUT');
  client.close();
  return { user, setting, close: () => rm(folder, { recursive: true, force: true }) };
}
