import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from './store/database.ts';
import { openEmbedded } from './store/embedded/embedded.ts';
import {
  expectInOrder,
  type Place,
  partsOf,
  paste,
  type Step,
  stepsOf,
} from './testing/documented-commands.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { VPN_IMAGE } from './testing/incus/furnish.ts';
import { ovnChoices, startOvnDaemon } from './testing/incus/ovn-harness.ts';
import { whyNoOvn, whyNoVpn } from './testing/incus/programs.ts';
import { furnishForDemo, writeProvider } from './testing/incus/provider.ts';
import { atOnce } from './testing/provider-file.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/tour-flexible-vps.md');
const steps = stepsOf(page);
const TIMEOUT_MS = 400_000;

interface Site {
  /** The text of the provider file. */
  readonly provider: string;
  readonly steps: readonly Step[];
  /** Names of the machines that still exist. */
  machines(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const sandbox: Site = {
  provider: atOnce(),
  steps,
  machines: async () => [],
  close: async () => undefined,
};

/** Output that only the sandbox prints: by its guests, and by calls that real engines do not support. */
const ofTheSandbox = /^ci-info|nginx|^cloud-init\[|^Booting|^"consistency"/;

/** Commands that Incus cannot run: the page says so in a comment, or they make the sandbox fail. */
const notOnIncus = /^# Not on Incus$|unlucky/m;

async function openIncusSite(): Promise<Site> {
  const { daemon, fabric } = await startOvnDaemon((started) => furnishForDemo(started, { vpn: true }));
  const compute = { ...ovnChoices(fabric), vpn_image: VPN_IMAGE };
  // Where the sandbox has its store, too.
  const backups = { driver: 'folder', folder: 'data/backups' };
  return {
    provider: writeProvider(daemon, undefined, { compute, backups }),
    steps: steps
      .filter(({ commands }) => !notOnIncus.test(commands))
      .map((step) => ({
        ...step,
        shown: step.shown
          .split('\n')
          .filter((line) => !ofTheSandbox.test(line))
          .join('\n'),
      })),
    async machines() {
      const query = { recursion: 1, 'all-projects': 'true' };
      return (await daemon.client.ask<{ name: string }[]>('GET', '/1.0/instances', { query })).map(
        ({ name }) => name,
      );
    },
    close: () => daemon.stop(),
  };
}

const why = whyNoVpn() ?? whyNoOvn();
describe('the tour of Flexible VPS', () => {
  it('has no block that is not pasted or compared', () => {
    const fences = [...page.matchAll(/^```/gm)].length / 2;
    const shown = steps.filter((step) => step.shown !== '').length;
    expect([steps.length > 10, steps.length + shown]).toEqual([true, fences]);
  });

  it('links only to files that exist', () => {
    const links = [...page.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.map((link) => read(`docs/${link}`).length > 0)).toEqual(links.map(() => true));
    expect(read('README.md')).toContain('](docs/tour-flexible-vps.md)');
  });
});

/** Runs all commands of the tour on the site, then checks their output and what they leave behind. */
function tryOn(open: () => Promise<Site>): void {
  let temporary: string;
  let site: Site;
  let server: ServerProcess;
  let folder: string;
  let tried: { readonly step: Step; readonly printed: string }[];
  beforeAll(async () => {
    site = await open();
    temporary = await makeTemporaryFolder();
    const environment = { HOSTPLANE_CONFIG: join(temporary, 'provider.yaml') };
    await writeFile(environment.HOSTPLANE_CONFIG, site.provider);
    folder = join(temporary, 'data');
    server = await startServerOrFail(folder, environment);
    const place: Place = { server, folder, environment, timeoutMs: TIMEOUT_MS };
    const printed = await paste(place, site.steps);
    tried = site.steps.map((step, i) => ({ step, printed: printed[i] ?? '' }));
  }, 2 * TIMEOUT_MS);
  afterAll(async () => {
    await server?.end('SIGTERM');
    await site?.close();
    await removeTemporaryFolder(temporary);
  });

  async function inDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const embedded = await openEmbedded({ folder });
    const db = openDatabase(openPool({ ...embedded.connection, maxConnections: 1 }));
    try {
      return await work(db);
    } finally {
      await db.destroy();
      await embedded.close();
    }
  }

  it('prints what the page shows', () => {
    for (const { step, printed } of tried) expectInOrder(printed, partsOf(step));
  });

  it('leaves nothing behind, in the database or at the engine', async () => {
    const left = await inDatabase(async (db) => ({
      resources: await db.selectFrom('resources').select(['type', 'name']).execute(),
      machines: await db.selectFrom('vms').select('name').execute(),
      interfaces: await db.selectFrom('vm_interfaces').select('id').execute(),
      snapshots: await db.selectFrom('vm_snapshots').select('name').execute(),
      networks: await db.selectFrom('vps_networks').select('name').execute(),
      volumes: await db.selectFrom('vps_volumes').select('name').execute(),
      firewalls: await db.selectFrom('firewalls').select('name').execute(),
      backups: await db.selectFrom('vm_backups').select('name').execute(),
      policies: await db.selectFrom('backup_policies').select('name').execute(),
      gateways: await db.selectFrom('vpn_gateways').select('name').execute(),
      peers: await db.selectFrom('vpn_peers').select('name').execute(),
      inside: await db.selectFrom('network_addresses').selectAll().execute(),
      outside: await db
        .selectFrom('public_addresses')
        .select('block')
        .where('account_id', 'is not', null)
        .execute(),
      // The provider keeps the default names of its addresses.
      things: await db
        .selectFrom('sandbox_things')
        .select(['kind', 'id'])
        .where('kind', '!=', 'ptr')
        .execute(),
      entries: await db.selectFrom('incus_machines').selectAll().execute(),
      faults: await db.selectFrom('sandbox_faults').select('id').execute(),
      pending: await db.selectFrom('operations').select('type').where('finished_at', 'is', null).execute(),
    }));
    for (const [what, rows] of Object.entries(left)) expect([what, rows]).toEqual([what, []]);
    expect(await site.machines()).toEqual([]);
    const stored = await readdir(join(folder, 'backups'), { recursive: true, withFileTypes: true });
    expect(stored.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
  });

  it('has the operation in each event of a machine', async () => {
    const told = await inDatabase((db) =>
      db
        .selectFrom('events')
        .select('type')
        .distinct()
        .where('type', 'in', ['vm.created', 'vm.resized', 'vm.redeployed', 'vm.restored', 'vm.deleted'])
        .where('operation_id', 'is not', null)
        .orderBy('type')
        .execute(),
    );
    expect(told.map(({ type }) => type)).toEqual([
      'vm.created',
      'vm.deleted',
      'vm.redeployed',
      'vm.resized',
      'vm.restored',
    ]);
  });
}

describe('the tour on the sandbox', () => tryOn(async () => sandbox));
describe.skipIf(why !== null)(`the tour on Incus${why === null ? '' : `: ${why}`}`, () =>
  tryOn(openIncusSite),
);
