import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Db, openDatabase, openPool } from './store/database.ts';
import { openEmbedded } from './store/embedded/embedded.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { expectInOrder, type Place, partsOf, paste, stepsOf } from './testing/pasting.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/tour-flexible-vps.md');
const steps = stepsOf(page);
const TIMEOUT_MS = 150_000;

let temporary: string;
let server: ServerProcess;
let place: Place;
let printed: readonly string[] = [];

/** The demo provider, but that its machines take no time. */
async function writeConfig(path: string): Promise<void> {
  const { catalogue } = parse(read('hostplane.default.yaml')) as {
    catalogue: { locations: { compute: object }[] };
  };
  const locations = catalogue.locations.map((location) => ({
    ...location,
    compute: { ...location.compute, pace: 0 },
  }));
  await writeFile(path, JSON.stringify({ catalogue: { locations } }));
}

beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  const environment = { HOSTPLANE_CONFIG: join(temporary, 'provider.yaml') };
  await writeConfig(environment.HOSTPLANE_CONFIG);
  const folder = join(temporary, 'data');
  server = await startServerOrFail(folder, environment);
  place = { server, folder, environment, timeoutMs: TIMEOUT_MS };
  printed = await paste(place, steps);
}, 2 * TIMEOUT_MS);
afterAll(async () => {
  await server.end('SIGTERM');
  await removeTemporaryFolder(temporary);
});

async function inDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const embedded = await openEmbedded({ folder: place.folder });
  const db = openDatabase(openPool({ ...embedded.connection, maxConnections: 1 }));
  try {
    return await work(db);
  } finally {
    await db.destroy();
    await embedded.close();
  }
}

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

  it.each(steps.map((step, i) => ({ ...step, i })))('$i: $chapter', ({ i, ...step }) => {
    expectInOrder(printed[i] ?? '', partsOf(step));
  });

  it('leaves nothing behind, here or in the machine room', async () => {
    const left = await inDatabase(async (db) => ({
      resources: await db.selectFrom('resources').select(['type', 'name']).execute(),
      machines: await db.selectFrom('vms').select('name').execute(),
      interfaces: await db.selectFrom('vm_interfaces').select('id').execute(),
      snapshots: await db.selectFrom('vm_snapshots').select('name').execute(),
      networks: await db.selectFrom('vps_networks').select('name').execute(),
      inside: await db.selectFrom('network_addresses').selectAll().execute(),
      outside: await db
        .selectFrom('public_addresses')
        .select('block')
        .where('account_id', 'is not', null)
        .execute(),
      things: await db.selectFrom('sandbox_things').select(['kind', 'id']).execute(),
      faults: await db.selectFrom('sandbox_faults').select('id').execute(),
      pending: await db.selectFrom('operations').select('type').where('finished_at', 'is', null).execute(),
    }));
    for (const [what, rows] of Object.entries(left)) expect([what, rows]).toEqual([what, []]);
  });

  it('has each event of a machine name the operation that it came from', async () => {
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
});
