/** Opens a sandbox engine for one test, at a new location with three hosts and the images and ISOs of the demo provider. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { loadConfiguration } from '../configuration.ts';
import type { Harness } from '../engines/compute/contract.ts';
import { diskOf, haltInside, writeInside } from '../engines/compute/sandbox/guest-actions.ts';
import { send } from '../engines/compute/sandbox/packets.ts';
import { Sandbox, type SandboxOptions } from '../engines/compute/sandbox/sandbox.ts';
import { addFault, type HostSpec } from '../engines/compute/sandbox/store.ts';
import type { Db } from '../store/database.ts';

function readCatalogue() {
  const loaded = loadConfiguration({ env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config.catalogue;
}

const { images, isos } = readCatalogue();

const hosts: readonly HostSpec[] = [1, 2, 3].map((n) => ({
  name: `host-${n}`,
  vcpus: 64,
  memoryMb: 65_536,
  diskGb: 2_000,
}));

/** Writes only the parts of a qcow2 header that the sandbox reads: magic number, version and disk size. */
async function writeImage(file: string): Promise<{ minDiskGb: number }> {
  const minDiskGb = 5;
  const bytes = Buffer.alloc(4096);
  bytes.write('QFI\xfb', 'latin1');
  bytes.writeUInt32BE(3, 4);
  bytes.writeBigUInt64BE(BigInt(minDiskGb) * 1024n ** 3n, 24);
  await writeFile(file, bytes);
  return { minDiskGb };
}

export interface SandboxHarness extends Harness {
  readonly engine: Sandbox;
  reopen(): Promise<Sandbox>;
}

/** The sandbox works without delay unless `choices` set a pace. */
export function openSandbox(db: Db, choices: Partial<SandboxOptions> = {}): SandboxHarness {
  const location = `lab-${randomBytes(4).toString('hex')}`;
  const options: SandboxOptions = {
    db,
    location,
    images: () => images,
    isos: () => isos,
    hosts,
    pace: 0,
    ...choices,
  };
  const engine = new Sandbox(options);
  return {
    engine,
    image: { account: null, id: 'ubuntu-24.04' },
    architecture: 'amd64',
    size: { vcpus: 2, memoryMb: 2048, diskGb: 20 },
    writeImage,
    reopen: async () => new Sandbox(options),
    writeInside: (ref, path, content) => writeInside(engine.core, ref, path, content),
    readInside: async (ref, path) => (await diskOf(engine.core, ref))[path] ?? null,
    writeVolume: (ref, { path }, text) => writeInside(engine.core, ref, path, text),
    readVolume: async (ref, { path }) => (await diskOf(engine.core, ref))[path] || null,
    reaches: async (ref, address) =>
      (await send(engine.core, ref, address, { protocol: 'icmp', type: 8 })) === 'arrived',
    deafen: async ({ id: target }) =>
      void (await addFault(db, { target, effect: { kind: 'ignore_shutdown' } })),
    shutDownInside: (ref) => haltInside(engine.core, ref, 'shutdown'),
    close: () => engine.close(),
  };
}
