/**
 * Checks whether the pool limits a disk to its size. Some pools accept a size and ignore it (`dir` on most file
 * systems, btrfs without quotas), so the check writes more data into an empty container than its size allows.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Examination } from '../../../../kernel/registry.ts';
import { IncusError, isFull, isMissing } from '../failure.ts';
import { cliOf, fine, type Place, wrong } from './context.ts';
import { discard, withEmptyImage } from './trial-instance.ts';

interface Pool {
  readonly driver: string;
  readonly status: string;
}

const ROOM_MIB = 32;
const WRITTEN_BYTES = 48 * 2 ** 20;

/** The container is never started. Container and image are removed afterwards. */
async function endsWhereSold(place: Place): Promise<boolean> {
  const { client, settings } = place;
  const folder = await mkdtemp(join(tmpdir(), 'hostplane-doctor-'));
  const file = join(folder, 'more');
  const root = { type: 'disk', path: '/', pool: settings.storagePool, size: `${ROOM_MIB}MiB` };
  try {
    // Random bytes, because some file systems store zeros without using space.
    await writeFile(file, randomBytes(WRITTEN_BYTES));
    return await withEmptyImage(place, folder, async (fingerprint, name) => {
      const path = `/1.0/instances/${name}`;
      const source = { type: 'image', fingerprint };
      try {
        const body = { name, source, profiles: [], devices: { root } };
        await client.run('POST', '/1.0/instances', { body });
        await client.run('POST', `${path}/files`, { file, query: { path: '/more' } });
        return false;
      } catch (error) {
        if (isFull(error)) return true;
        throw error;
      } finally {
        await discard(place, path);
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function examineStorage(place: Place): Promise<Examination> {
  const { client, settings, sold, server } = place;
  const { storagePool: pool, instanceType } = settings;
  const cli = cliOf(server);
  const name = 'storage';
  const create = `${cli} storage create ${pool} btrfs source=/dev/…`;
  try {
    const { driver, status } = await client.ask<Pool>('GET', `/1.0/storage-pools/${pool}`);
    if (status !== 'Created') {
      const fix = `See ${cli} storage show ${pool} and the log of the engine.`;
      return wrong(sold, name, `Pool ${pool} is ${status.toLowerCase()}.`, fix);
    }
    // The disk of a virtual machine is a block device, which always has a fixed size.
    if (instanceType === 'virtual-machine') return fine(sold, name, `pool ${pool} (${driver})`);
    if (await endsWhereSold(place)) return fine(sold, name, `pool ${pool} (${driver}) enforces sizes`);
    const fix = `Create another pool and set storage_pool to its name: ${cli} storage create machines btrfs source=/dev/… (or zfs, lvm, ceph).`;
    return wrong(
      sold,
      name,
      `Pool ${pool} (${driver}) does not enforce sizes: one machine can fill it.`,
      fix,
    );
  } catch (error) {
    if (isMissing(error)) return wrong(sold, name, `There is no pool ${pool}.`, `On the server: ${create}`);
    if (!(error instanceof IncusError)) throw error;
    const fix = `See ${cli} storage info ${pool} and the log of the engine.`;
    return wrong(sold, name, `Pool ${pool} could not be tested: ${error.message}.`, fix);
  }
}
