/** A new port costs its own folder and one line in a list: this port, which exists only here, needs no other file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration } from '../configuration.ts';
import { enginePorts } from '../engine-ports.ts';
import { Shape, type Static } from '../kernel/schema.ts';
import { readDefaultText } from '../provider/default.ts';
import { checkForeign, Driver, Member } from '../provider/driver-members.ts';
import { fingerprintsOf, reloadOf } from '../provider/reload.ts';
import { Path, Text } from '../provider/words.ts';
import { atOnce, createTestApp, defaultProvider } from '../testing/app.ts';
import { runCommand, urlOf } from '../testing/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import type { Engine, Engines } from './engine.ts';
import type { Port } from './port.ts';

const drivers = { sandbox: { colour: Member(Text) }, wired: { switch_file: Member(Path) } };
const LampSettings = Shape({ driver: Driver(drivers), ...drivers.sandbox, ...drivers.wired });
type LampSettings = Static<typeof LampSettings>;

interface LampEngine extends Engine {
  readonly colour: string;
}

const lost: string[] = [];
const lamps: Port<'lamps', LampEngine, LampSettings> = {
  name: 'lamps',
  member: 'lamps',
  Settings: LampSettings,
  check(settings, at, _folder, report) {
    checkForeign(settings, at, drivers, report);
    if (settings.driver === 'wired' && settings.switch_file === null)
      report(`${at}/switch_file`, 'switch_file is missing.', 'Name the file of the switch.');
  },
  files: { switch_file: 'at_start' },
  open: (settings, { slug }) =>
    settings && {
      driver: settings.driver,
      location: slug,
      capabilities: {},
      colour: settings.colour ?? 'white',
      close: async () => {},
    },
  examine: async ({ switch_file }, { slug }) => [
    { name: `lamps of ${slug}`, detail: `switched by ${switch_file ?? 'nobody'}` },
  ],
  sandbox: {
    settings: () => ({ driver: 'sandbox', colour: 'red' }),
    simulates: ({ driver }) => driver === 'sandbox',
    faults: { calls: ['ensureLamp'], effects: { flicker: 'the lamp flickers' } },
    objects: {
      noun: 'lamp',
      command: 'lamps',
      list: async () => [{ location: 'fra1', id: 'lamp_1' }],
      mishaps: { fall: 'the lamp falls down' },
      befall: async (_db, id) => id === 'lamp_1' && lost.push(id) > 0,
    },
  },
};
const ports = [...enginePorts, lamps];

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await removeTemporaryFolder(folder);
});

/** The demo provider, whose first location has these settings, in a file. */
function fileWith(settings: object): string {
  const { provider, catalogue } = parse(readDefaultText());
  const [first, ...rest] = catalogue.locations;
  const locations = [{ ...first, lamps: settings }, ...rest];
  const file = join(folder, 'hostplane.yaml');
  writeFileSync(file, JSON.stringify({ provider, catalogue: { ...catalogue, locations } }));
  return file;
}

const load = (settings: object) => loadConfiguration({ file: fileWith(settings), env: {}, ports });

function faultsIn(settings: object): string[] {
  const loaded = load(settings);
  return loaded.ok ? [] : loaded.faults.map(({ path, message, fix }) => `${path}: ${message} ${fix}`).sort();
}

function configOf(settings: object) {
  const loaded = load(settings);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

const AT = '/catalogue/locations/0/lamps';

describe('a port that is only in the list of ports', () => {
  it('has its settings in the provider file, with the schema, the checks and the absolute files of the port', () => {
    expect(faultsIn({ driver: 'candle' })).toEqual([expect.stringContaining(`${AT}/driver: `)]);
    expect(faultsIn({ driver: 'wired', colour: 'red' })).toEqual([
      `${AT}/colour: colour belongs to the driver sandbox, but driver is wired. Remove it, or set driver to sandbox.`,
      `${AT}/switch_file: switch_file is missing. Name the file of the switch.`,
    ]);
    const [first, second] = configOf({ driver: 'wired', switch_file: 'switch' }).catalogue.locations;
    expect(first).toMatchObject({
      lamps: { driver: 'wired', colour: null, switch_file: join(folder, 'switch') },
    });
    expect(second).toMatchObject({ lamps: null });
  });

  it('is not known where the list does not have it', () => {
    const loaded = loadConfiguration({ file: fileWith({ driver: 'sandbox' }), env: {} });
    expect(loaded.ok ? [] : loaded.faults.map(({ message }) => message)).toEqual([
      'lamps is not known here.',
    ]);
  });

  it('needs a restart when its settings or its files change', () => {
    const config = configOf({ driver: 'wired', switch_file: 'switch' });
    const at = `catalogue.locations.${config.catalogue.locations[0]?.slug}.lamps`;
    writeFileSync(join(folder, 'switch'), 'off');
    const atStart = fingerprintsOf(config, ports);
    expect(reloadOf(config, config, atStart, ports).needRestart).toEqual([]);
    const next = configOf({ driver: 'sandbox' });
    expect(reloadOf(config, next, atStart, ports).needRestart).toEqual([at]);
    writeFileSync(join(folder, 'switch'), 'on');
    expect(reloadOf(config, config, atStart, ports).needRestart).toEqual([`${at}.switch_file`]);
  });

  it('is opened with the services, and the test app gives each location its sandbox', async () => {
    const app = await createTestApp({ ports, provider: () => atOnce(defaultProvider(), ports) });
    const { lamps: opened, compute } = app.services as typeof app.services & { lamps: Engines<LampEngine> };
    const locations = app.services.provider.catalogue.locations.map(({ slug }) => slug);
    expect(opened.all.map(({ location, colour }) => [location, colour])).toEqual(
      locations.map((slug) => [slug, 'red']),
    );
    expect(compute.all.map(({ location }) => location)).toEqual(locations);
    await app.close();
  });

  it('is examined by doctor', async () => {
    const file = fileWith({ driver: 'wired', switch_file: 'switch' });
    const env = { HOSTPLANE_PORT: '0', HOSTPLANE_DATABASE_URL: urlOf(database.connection) };
    const { out } = await runCommand(['doctor', '--json', '--config', file], { env, ports });
    const { checks } = JSON.parse(out) as { checks: object[] };
    expect(checks).toContainEqual({
      name: 'lamps of fra1',
      status: 'ok',
      detail: `switched by ${join(folder, 'switch')}`,
    });
  });

  it('has its faults, its objects and their mishaps in the sandbox commands', async () => {
    const file = fileWith({ driver: 'sandbox' });
    const setting = { env: { HOSTPLANE_DATABASE_URL: urlOf(database.connection) }, ports };
    const run = (...argv: string[]) => runCommand(['sandbox', ...argv, '--config', file], setting);
    const added = await run('faults', 'add', 'flicker', '--call', 'ensureLamp', '--location', 'fra1');
    expect([added.code, added.err]).toEqual([0, '']);
    expect((await run('lamps')).out).toContain('lamp_1');
    expect((await run('befall', 'lamp_1', 'fall', '--yes')).code).toBe(0);
    expect(lost).toEqual(['lamp_1']);
    expect((await run('befall', 'lamp_2', 'fall', '--yes')).err).toContain('hostplane admin sandbox lamps');
  });
});
