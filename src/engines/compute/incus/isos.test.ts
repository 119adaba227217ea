/** What real engines do with ISOs. Their machines are containers here, which have no drive. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { tinyIso } from '../../../testing/iso-server.ts';
import { refusal } from '../../contract/refusal.ts';
import type { Ref } from '../instance.ts';
import { keys } from './config-keys.ts';
import {
  beforeStart,
  driveOf,
  dropCopy,
  ensureCopy,
  ensureIso,
  observeIsos,
  removeIso,
  withDrive,
} from './isos.ts';
import { nameOf, projectOf } from './names.ts';
import { volumesPath } from './raw-volume.ts';
import { findOnly } from './volume-context.ts';

describeEngines((bench) => {
  describe('an ISO', () => {
    it('is stored if the engine supports it, and is refused in a container', async () => {
      const { lab, harness } = bench;
      const { engine } = harness;
      const folder = await makeTemporaryFolder();
      const file = join(folder, 'iso');
      await writeFile(file, tinyIso());
      const iso = lab.ref('iso');
      const { api_extensions } = await engine.site.readServer();
      if (api_extensions.includes('custom_volume_iso')) {
        await engine.ensureIso(iso, file);
        await engine.ensureIso(iso, file);
        expect(await engine.observeIso(iso)).toEqual({ ...iso, sizeBytes: tinyIso().length });
        expect((await engine.observeVolumes()).map(({ id }) => id)).not.toContain(iso.id);
        expect((await engine.observeIsos()).map(({ id }) => id)).toContain(iso.id);
      } else expect(await refusal(engine.ensureIso(iso, file))).toBe('capability_missing');
      const machine = await lab.stopped();
      expect(await refusal(engine.ensureDrive(machine, { iso: iso.id, bootOnce: false }))).toBe(
        'capability_missing',
      );
      expect(engine.capabilities.isoDrive).toContain('containers');
      await engine.ensureDrive(machine, null);
      await engine.removeIso(iso);
      await engine.removeIso(iso);
      expect(await engine.observeIso(iso)).toBeNull();
      await removeTemporaryFolder(folder);
    });
  });
});

/** Reads the file of an ISO at the engine. lxcfs is in the same mount namespace as the engine. */
async function readStored(folder: string, pool: string, ref: Ref): Promise<Buffer> {
  const root = join('/proc', (await readFile(join(folder, 'lxcfs.pid'), 'utf8')).trim(), 'root');
  const name = `${projectOf(ref)}_${nameOf(ref.id)}.iso`;
  const place = join(root, folder, 'storage-pools', pool, 'custom', name);
  const [file = ''] = await readdir(place);
  return readFile(join(place, file));
}

describeEngines((bench) => {
  describe('an ISO of the provider', () => {
    const change =
      'is copied into the project of an account, and the copy is removed when no machine has it, on %s';
    it.each(['btrfs', 'dir'])(change, async (driver) => {
      const { lab, harness } = bench;
      const { site: own } = harness.engine;
      if (!(await own.readServer()).api_extensions.includes('custom_volume_iso')) return;
      const storagePool = `pool-${randomBytes(4).toString('hex')}`;
      const config = driver === 'btrfs' ? { size: '1GiB' } : {};
      await own.client.run('POST', '/1.0/storage-pools', { body: { name: storagePool, driver, config } });
      // With these bounds the engine refuses volumes that have no size.
      const bounds = { ...own.settings.bounds, diskGb: 100 };
      const site = { ...own, settings: { ...own.settings, storagePool, bounds } };
      const folder = await makeTemporaryFolder();
      const file = join(folder, 'iso');
      const content = Buffer.concat([tinyIso(), randomBytes(3_000_001)]);
      await writeFile(file, content);
      const slug = `installer-${randomBytes(4).toString('hex')}`;
      const headers = {
        'content-type': 'application/octet-stream',
        'x-incus-name': slug,
        'x-incus-type': 'iso',
      };
      await site.client.run('POST', volumesPath(site), { project: 'default', file, headers });
      const imported = lab.ref('iso');
      await ensureIso(site, imported, file);
      await removeIso(site, imported);
      await removeTemporaryFolder(folder);
      const copy = { account: lab.account, id: `public_${slug}` };
      await ensureCopy(site, lab.account, slug);
      await ensureCopy(site, lab.account, slug);
      expect(await findOnly(site, copy)).toMatchObject({ content_type: 'iso' });
      const bytes = await readStored(harness.daemon.folder, storagePool, copy);
      // The engine fills up the last sectors of the file.
      expect(bytes.subarray(0, content.length).equals(content)).toBe(true);
      expect((await observeIsos(site)).map(({ id }) => id)).not.toContain(copy.id);
      await dropCopy(site, lab.account, slug);
      expect(await findOnly(site, copy)).toBeNull();
      await site.client.run('DELETE', `${volumesPath(site)}/${slug}`, { project: 'default' });
      expect(await refusal(ensureCopy(site, lab.account, slug))).toBe('not_found');
      await own.client.run('DELETE', `/1.0/storage-pools/${storagePool}`);
    });
  });
});

describe('the settings of a virtual machine with an ISO in its drive', () => {
  const nothing: Parameters<typeof withDrive>[0] = { devices: { root: { type: 'disk' } }, config: {} };
  const wanted = withDrive(nothing, { iso: 'iso_1', bootOnce: true }, 'pool');

  it('put the drive first in the boot order until the start after the next one', () => {
    expect(driveOf(wanted)).toEqual({ iso: 'iso_1', bootOnce: true });
    const drive = wanted.devices['drive'] ?? {};
    expect(drive).toMatchObject({ type: 'disk', pool: 'pool', 'boot.priority': '10' });
    const first = beforeStart(wanted, 'pool') ?? nothing;
    expect(first.devices).toEqual(wanted.devices);
    expect(driveOf(first)).toEqual({ iso: 'iso_1', bootOnce: false });
    const second = beforeStart(first, 'pool') ?? nothing;
    expect(second.devices['drive']).not.toHaveProperty('boot.priority');
    expect(second.config).not.toHaveProperty(keys.bootOnce);
    expect(beforeStart(second, 'pool')).toBeNull();
  });

  it('name an ISO of the provider by its slug', () => {
    const { devices, config } = withDrive(nothing, { iso: 'debian-13-netinst', bootOnce: false }, 'pool');
    expect(devices['drive']).toMatchObject({ source: 'public-debian-13-netinst' });
    expect(driveOf({ devices, config })).toEqual({ iso: 'debian-13-netinst', bootOnce: false });
  });

  it('have no trace of the drive after the ISO is ejected', () => {
    expect(withDrive(wanted, null, 'pool')).toEqual(nothing);
  });
});
