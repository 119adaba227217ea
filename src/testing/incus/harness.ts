/** Opens the Incus and LXD driver on an engine that is started for the test. */
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Harness } from '../../engines/compute/contract.ts';
import type { Client } from '../../engines/compute/incus/client.ts';
import { Incus, type IncusOptions } from '../../engines/compute/incus/driver.ts';
import { pathOf } from '../../engines/compute/incus/driver-context.ts';
import { isMissing } from '../../engines/compute/incus/failure.ts';
import { PgLedger } from '../../engines/compute/incus/host-ledger.ts';
import { PgConsoleLogs } from '../../engines/compute/incus/logs/store.ts';
import { projectOf } from '../../engines/compute/incus/names.ts';
import { PgSamples } from '../../engines/compute/incus/samples/store.ts';
import type { IncusSettings } from '../../engines/compute/incus/settings.ts';
import type { Ref } from '../../engines/compute/port.ts';
import type { Db } from '../../store/database.ts';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { type Furniture, furnish, IMAGE, POOL, PUBLIC_NETWORK, VPN_IMAGE } from './furnish.ts';
import { IMAGE_FILE } from './image.ts';
import type { EngineKind } from './programs.ts';

export interface IncusHarness extends Harness {
  readonly engine: Incus;
  readonly daemon: TestDaemon;
  reopen(): Promise<Incus>;
  /** Runs a command as root in a running machine. Returns when the command has ended; its output is discarded. */
  execInside(ref: Ref, command: readonly string[]): Promise<void>;
}

export interface IncusChoices extends Furniture {
  readonly kind?: EngineKind;
  readonly settings?: Partial<IncusSettings>;
}

export const settingsOf = ({ url }: Pick<TestDaemon, 'url'>): IncusSettings => ({
  address: { url, credentials: null },
  instanceType: 'container',
  storagePool: POOL,
  publicNetwork: PUBLIC_NETWORK,
  ovn: null,
  vpnImage: VPN_IMAGE,
  bounds: { instances: null, vcpus: null, memoryMb: null, diskGb: null },
  vcpuOvercommit: 16,
  reservePercent: 0,
});

export async function openIncus(
  db: Db,
  { kind, settings, ...furniture }: IncusChoices = {},
): Promise<IncusHarness> {
  const daemon = await startDaemon(kind);
  try {
    await furnish(daemon, furniture);
    return harnessOf(db, daemon, { ...settingsOf(daemon), ...settings });
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

/** `close` also stops the daemon. */
export function harnessOf(db: Db, daemon: TestDaemon, settings: IncusSettings): IncusHarness {
  const location = `lab-${randomBytes(4).toString('hex')}`;
  const options: IncusOptions = {
    location,
    settings,
    ledger: new PgLedger(db, location),
    samples: new PgSamples(db, location),
    logs: new PgConsoleLogs(db, location),
  };
  const engine = new Incus(options);
  const inside = insideOf(daemon);
  return {
    engine,
    daemon,
    architecture: arch() === 'arm64' ? 'arm64' : 'amd64',
    image: { account: null, id: IMAGE },
    size: { vcpus: 1, memoryMb: 64, diskGb: 2 },
    // Compressed, the file has another fingerprint than the provider's image, which the engine already has.
    async writeImage(file) {
      await pipeline(
        createReadStream(join(daemon.folder, IMAGE_FILE)),
        createGzip(),
        createWriteStream(file),
      );
      return { minDiskGb: 1 };
    },
    reopen: async () => new Incus(options),
    ...inside,
    writeVolume: (ref, { path }, text) => inside.writeInside(ref, `${path}/note`, text),
    readVolume: (ref, { path }) => inside.readInside(ref, `${path}/note`),
    deafen: (ref) => inside.writeInside(ref, '/etc/deaf', ''),
    shutDownInside: (ref) => inside.execInside(ref, ['poweroff']),
    async close() {
      await engine.close();
      await daemon.stop();
    },
  };
}

function insideOf({ client, folder }: { readonly client: Client; readonly folder: string }) {
  const at = (ref: Ref, path: string) => ({ project: projectOf(ref), query: { path } });
  return {
    async writeInside(ref: Ref, path: string, content: string): Promise<void> {
      const file = join(folder, `inside-${randomBytes(4).toString('hex')}`);
      await writeFile(file, content);
      await client.run('POST', `${pathOf(ref)}/files`, { ...at(ref, path), file });
      await rm(file);
    },
    async readInside(ref: Ref, path: string): Promise<string | null> {
      try {
        return await client.askText(`${pathOf(ref)}/files`, at(ref, path));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async execInside(ref: Ref, command: readonly string[]): Promise<void> {
      const body = { command, 'wait-for-websocket': false, interactive: false };
      await client.run('POST', `${pathOf(ref)}/exec`, { project: projectOf(ref), body });
    },
  };
}
