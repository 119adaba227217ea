import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration } from '../../configuration.ts';
import { readDefaultText } from '../../provider/default.ts';
import { backupPlaceOf } from './settings.ts';

const defaultText = readDefaultText();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostplane-backup-store-'));
  for (const name of ['access', 'secret']) writeFileSync(join(folder, name), `${name}\n`);
  const certificate = fileURLToPath(new URL('../../testing/fixtures/localhost.crt', import.meta.url));
  copyFileSync(certificate, join(folder, 'ca.crt'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Loads the default configuration with `backups` in its first location. */
function load(backups: Record<string, unknown>) {
  const { provider, catalogue } = parse(defaultText) as {
    provider: object;
    catalogue: { locations: object[] };
  };
  const [first, ...rest] = catalogue.locations;
  const file = join(folder, 'hostplane.yaml');
  const locations = [{ ...first, backups }, ...rest];
  writeFileSync(file, JSON.stringify({ provider, catalogue: { ...catalogue, locations } }));
  return loadConfiguration({ file, env: {}, defaultText });
}

function faultsIn(backups: Record<string, unknown>): string[] {
  const loaded = load(backups);
  return loaded.ok ? [] : loaded.faults.map(({ path }) => path.replace('/catalogue/locations/0/backups', ''));
}

function placeOf(backups: Record<string, unknown>) {
  const loaded = load(backups);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const given = loaded.config.catalogue.locations[0]?.backups ?? null;
  return given && backupPlaceOf(given);
}

const s3 = {
  driver: 's3',
  endpoint: 'https://s3.example.com',
  bucket: 'backups',
  access_key_file: 'access',
  secret_key_file: 'secret',
};

describe('the store of backups', () => {
  it('is a folder beside the provider file', () => {
    expect(placeOf({ driver: 'folder', folder: 'kept', megabytes_per_second: 50 })).toEqual({
      driver: 'folder',
      folder: join(folder, 'kept'),
      megabytesPerSecond: 50,
    });
  });

  it('is a bucket, with its files beside the provider file', () => {
    expect(placeOf({ ...s3, ca_file: 'ca.crt' })).toEqual({
      driver: 's3',
      endpoint: 'https://s3.example.com',
      region: 'us-east-1',
      bucket: 'backups',
      accessKeyFile: join(folder, 'access'),
      secretKeyFile: join(folder, 'secret'),
      authorityFile: join(folder, 'ca.crt'),
      megabytesPerSecond: null,
    });
  });

  it('is refused without members that its driver needs', () => {
    expect(faultsIn({ driver: 'folder' })).toEqual(['/folder']);
    expect(faultsIn({ driver: 's3' })).toEqual([
      '/endpoint',
      '/bucket',
      '/access_key_file',
      '/secret_key_file',
    ]);
  });

  it('is refused with members of another driver', () => {
    expect(faultsIn({ driver: 'folder', folder: 'kept', bucket: 'backups' })).toEqual(['/bucket']);
    expect(faultsIn({ ...s3, folder: 'kept' })).toEqual(['/folder']);
  });

  it('is refused with files that cannot be read or are no certificate', () => {
    expect(faultsIn({ ...s3, secret_key_file: 'none' })).toEqual(['/secret_key_file']);
    expect(faultsIn({ ...s3, ca_file: 'access' })).toEqual(['/ca_file']);
    expect(faultsIn({ ...s3, endpoint: 'http://10.0.0.5:7480', ca_file: 'ca.crt' })).toEqual(['/ca_file']);
  });
});
