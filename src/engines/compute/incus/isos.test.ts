/** What real engines do with ISOs. Their machines are containers here, which have no drive. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { tinyIso } from '../../../testing/iso-server.ts';
import { refusal } from '../../contract/refusal.ts';
import { keys } from './config-keys.ts';
import { beforeStart, driveOf, withDrive } from './isos.ts';

describeEngines((bench) => {
  describe('an ISO', () => {
    it('is stored where the engine can, and in no drive of a container', async () => {
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

  it('are as before when it is ejected', () => {
    expect(withDrive(wanted, null, 'pool')).toEqual(nothing);
  });
});
