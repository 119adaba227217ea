import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { tinyIso } from '../../../testing/iso-server.ts';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import type { Ref } from '../port.ts';
import type { Use } from './lab.ts';

export function describeIsos(use: Use): void {
  const { lab } = use;
  async function stored(): Promise<Ref> {
    const folder = await makeTemporaryFolder();
    const file = join(folder, 'iso');
    const ref = lab().ref('iso');
    await writeFile(file, tinyIso());
    await lab().engine.ensureIso(ref, file);
    await lab().engine.ensureIso(ref, file);
    await removeTemporaryFolder(folder);
    return ref;
  }
  const driveOf = async (ref: Ref) => (await lab().engine.observeInstance(ref))?.drive;

  describe('an ISO', () => {
    itIfCapable(use, 'isoDrive', 'is stored once and removed', async () => {
      const { engine } = lab();
      const iso = await stored();
      expect(await engine.observeIso(iso)).toEqual({ ...iso, sizeBytes: tinyIso().length });
      expect(await engine.observeIsos()).toContainEqual({ ...iso, sizeBytes: tinyIso().length });
      await engine.removeIso(iso);
      await engine.removeIso(iso);
      expect(await engine.observeIso(iso)).toBeNull();
    });

    itIfCapable(use, 'isoDrive', 'is in the drive until it is ejected, and is booted once', async () => {
      const { engine } = lab();
      const iso = await stored();
      const ref = await lab().running();
      expect(await refusal(engine.ensureDrive(ref, { iso: 'iso_none', bootOnce: false }))).toBe('not_found');
      for (let i = 0; i < 2; i++) await engine.ensureDrive(ref, { iso: iso.id, bootOnce: true });
      expect(await driveOf(ref)).toEqual({ iso: iso.id, bootOnce: true });
      expect(await refusal(engine.removeIso(iso))).toBe('resource_in_use');
      await engine.restart(ref, { once: lab().token() });
      expect(await driveOf(ref)).toEqual({ iso: iso.id, bootOnce: false });
      for (let i = 0; i < 2; i++) await engine.ensureDrive(ref, null);
      expect(await driveOf(ref)).toBeNull();
      await engine.removeIso(iso);
    });

    itIfCapable(use, 'isoDrive', 'can be booted by a machine with an empty disk', async () => {
      const { engine } = lab();
      const iso = await stored();
      const ref = await lab().stopped({ source: { blank: true } });
      expect(await engine.observeInstance(ref)).toMatchObject({ image: null, drive: null });
      await engine.ensureDrive(ref, { iso: iso.id, bootOnce: false });
      await engine.ensureRunning(ref);
      expect(await engine.observeInstance(ref)).toMatchObject({ state: 'running' });
    });
  });
}
