import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoProvider, loadConfiguration } from '../configuration.ts';
import { readDefaultText } from './default.ts';
import type { Environment } from './environment.ts';
import type { Fault } from './fault.ts';
import type { Loaded } from './load.ts';

const defaultText = readDefaultText();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostplane-provider-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The smallest file of a provider who sells machines in one location, and nothing else. */
const SMALL = readFileSync(
  fileURLToPath(new URL('../testing/fixtures/small-provider.yaml', import.meta.url)),
  'utf8',
);

function write(text: string | Buffer, name = 'hostplane.yaml'): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const load = (text: string | Buffer, env: Environment = {}): Loaded =>
  loadConfiguration({ file: write(text), env, defaultText });

function faultsIn(text: string | Buffer, env: Environment = {}): readonly Fault[] {
  const loaded = load(text, env);
  return loaded.ok ? [] : loaded.faults;
}

function configOf(text: string, env: Environment = {}) {
  const loaded = load(text, env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

describe('the default provider', () => {
  it('is complete', () => {
    const { server, database, redis, catalogue } = demoProvider();
    expect(server).toMatchObject({ host: '127.0.0.1', port: 8080, tls: null, trusted_proxies: [] });
    expect(database).toEqual({ url: null, url_file: null, folder: resolve('data'), pool_size: 10 });
    expect(redis).toEqual({ url: null });
    expect(catalogue.locations.map(({ slug }) => slug)).toEqual(['fra1', 'ams1', 'hel1']);
    expect(catalogue.products).toHaveLength(9);
    expect(catalogue.products.every(({ enabled }) => enabled)).toBe(true);
  });

  it('keeps amounts of money as written', () => {
    const plan = demoProvider().catalogue.prices.find(({ sku }) => sku === 'vps.flex-2-4');
    expect(plan?.prices[0]).toMatchObject({ hourly: '0.011', monthly: '7.50' });
  });
});

describe('a provider file', () => {
  it('that is empty equals the default', () => {
    expect(configOf('')).toEqual(demoProvider());
  });

  it('replaces the sections that it names as a whole', () => {
    const { server, provider } = configOf('server:\n  port: 9000\n  log_level: debug\n');
    expect(server).toMatchObject({ port: 9000, log_level: 'debug', host: '127.0.0.1' });
    expect(provider).toEqual(demoProvider().provider);
  });

  it('with a catalogue of its own needs only what it sells, and gets nothing of the default', () => {
    const { provider, catalogue } = configOf(SMALL);
    expect(provider.name).toBe('Small');
    expect(catalogue).toMatchObject({
      plans: [{ slug: 'small' }],
      custom_plan: null,
      isos: [],
      volume_tiers: [],
      kubernetes: { regions: [], node_plans: [], tiers: [], versions: [] },
      dedicated: { operating_systems: [], products: [] },
      object_storage: { regions: [] },
      datacenter: { sites: [] },
      monitoring: { probe_regions: [] },
    });
    const demo = new Set(demoProvider().catalogue.prices.map(({ name }) => name));
    expect(catalogue.prices.filter(({ name }) => demo.has(name))).toEqual([]);
    expect(load(SMALL)).toMatchObject({ isDemo: false });
    expect(load('server: { port: 9000 }\n')).toMatchObject({ isDemo: true });
  });

  it.each([
    ['catalogue', /^provider:\n( .*\n)+/m],
    ['provider', /^catalogue:\n( .*\n)+/m],
  ])('that has only %s is refused with what is missing', (_which, other) => {
    const faults = faultsIn(SMALL.replace(other, ''));
    expect(faults).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^(provider|catalogue) is missing\.$/),
        fix: expect.stringContaining('config print-default'),
      }),
    ]);
  });

  it('resolves relative paths from its folder', () => {
    expect(configOf('database:\n  folder: state\n').database.folder).toBe(join(folder, 'state'));
  });
});

describe('the environment', () => {
  it('overrides the file', () => {
    const env = {
      HOSTPLANE_PORT: '9001',
      HOSTPLANE_HOST: '::1',
      HOSTPLANE_BASE_URL: 'https://api.example.com/',
      HOSTPLANE_TRUSTED_PROXIES: '10.0.0.0/24, 10.1.0.1',
      HOSTPLANE_DATA: '/var/lib/hostplane',
      HOSTPLANE_DATABASE_URL: 'postgres://u:secret@db/hostplane',
      HOSTPLANE_REDIS_URL: 'redis://:secret@cache',
    };
    const { server, database, redis } = configOf('server:\n  port: 9000\n', env);
    expect(server).toMatchObject({
      port: 9001,
      host: '::1',
      base_url: 'https://api.example.com',
      trusted_proxies: ['10.0.0.0/24', '10.1.0.1'],
    });
    expect(database).toMatchObject({ folder: '/var/lib/hostplane', url: 'postgres://u:secret@db/hostplane' });
    expect(redis.url).toBe('redis://:secret@cache');
  });

  it.each([
    ['HOSTPLANE_PORT', 'http', '/server/port'],
    ['HOSTPLANE_PORT', '70000', '/server/port'],
    ['HOSTPLANE_TRUSTED_PROXIES', '10.0.0.0/24,0.0.0.0/0', '/server/trusted_proxies/1'],
    ['HOSTPLANE_HOST', '0.0.0.0', '/server/host'],
    ['HOSTPLANE_DATABASE_URL', 'mysql://db', '/database/url'],
  ])('is named in the fault for %s=%s', (variable, value, path) => {
    const faults = faultsIn('', { [variable]: value });
    expect(faults).toEqual([expect.objectContaining({ file: variable, path, line: 0 })]);
  });

  it('is ignored if a variable is empty', () => {
    expect(configOf('', { HOSTPLANE_PORT: '', HOSTPLANE_DATABASE_URL: '' }).server.port).toBe(8080);
  });
});

describe('secrets', () => {
  it('come from a named variable', () => {
    const { database } = configOf('database:\n  url_env: PG\n', { PG: 'postgres://u:p@db/x' });
    expect(database.url).toBe('postgres://u:p@db/x');
  });

  it('can come from a file beside the provider file', () => {
    write('redis://:p@cache\n', 'redis-url');
    expect(configOf('redis:\n  url_file: redis-url\n').redis.url).toBe('redis://:p@cache');
    const file = write('postgres://u:p@db/x\n', 'database-url');
    const named = 'database:\n  url_file: database-url\n';
    expect(configOf(named).database).toMatchObject({ url: 'postgres://u:p@db/x', url_file: file });
    const other = { HOSTPLANE_DATABASE_URL: 'postgres://u@other/x' };
    expect(configOf(named, other).database).toMatchObject({ url: 'postgres://u@other/x', url_file: null });
  });

  it.each([
    'postgres://u:geheim@db/x',
    'postgres://db/x?user=u&password=geheim',
    '"postgres://u:geheim@db:port/x"',
  ])('in the file are refused without repeating them: %s', (url) => {
    const faults = faultsIn(`database:\n  url: ${url}\n`);
    expect(faults[0]).toMatchObject({
      path: '/database/url',
      line: 2,
      message: expect.stringContaining('password'),
    });
    expect(faults[0]?.fix).toContain('HOSTPLANE_DATABASE_URL');
    expect(JSON.stringify(faults)).not.toContain('geheim');
  });

  it('that are missing are named', () => {
    expect(faultsIn('database:\n  url_env: PG\n')[0]).toMatchObject({ path: '/database/url_env', line: 2 });
    expect(faultsIn('redis:\n  url_file: nope\n')[0]).toMatchObject({ path: '/redis/url_file', line: 2 });
  });

  it('cannot be given in two ways', () => {
    const [fault] = faultsIn('redis:\n  url: redis://cache\n  url_env: R\n', { R: 'redis://cache' });
    expect(fault).toMatchObject({ path: '/redis/url_env', line: 3 });
  });
});

describe('mail', () => {
  it('goes to files unless an SMTP server is named, whose password is in a file', () => {
    expect(configOf('').mail).toEqual({ from: 'no-reply@demo.example', smtp: null });
    write('geheim\n', 'smtp-password');
    const text =
      'mail:\n  from: hi@example.com\n  smtp: { host: a.example, user: u, password_file: smtp-password }\n';
    expect(configOf(text).mail).toEqual({
      from: 'hi@example.com',
      smtp: { host: 'a.example', port: 587, tls: 'starttls', user: 'u', password: 'geheim' },
    });
  });

  it.each([
    ['{ host: a.example, user: u }', '/mail/smtp/user'],
    ['{ host: a.example, password_file: nope }', '/mail/smtp/password_file'],
    ['{ host: a.example, user: u, password_file: nope }', '/mail/smtp/password_file'],
    ['{ host: a.example, tls: none, user: u, password_file: smtp-password }', '/mail/smtp/tls'],
    ['{ host: a.example, tls: maybe }', '/mail/smtp/tls'],
    ['{ port: 25 }', '/mail/smtp/host'],
  ])('refuses %s', (smtp, path) => {
    write('geheim\n', 'smtp-password');
    const faults = faultsIn(`mail:\n  smtp: ${smtp}\n`);
    expect(faults.map((fault) => fault.path)).toContain(path);
    expect(JSON.stringify(faults)).not.toContain('geheim');
  });
});

describe('TLS', () => {
  it('needs files that exist', () => {
    const faults = faultsIn('server:\n  tls:\n    certificate: a.crt\n    key: a.key\n');
    expect(faults.map(({ path, line }) => [path, line])).toEqual([
      ['/server/tls/certificate', 3],
      ['/server/tls/key', 4],
    ]);
  });

  it('needs a certificate and its key', () => {
    write('no certificate', 'a.crt');
    write('no key', 'a.key');
    const [fault] = faultsIn('server:\n  tls: { certificate: a.crt, key: a.key }\n');
    expect(fault).toMatchObject({ path: '/server/tls', line: 2 });
  });

  it('allows any host', () => {
    const fixture = (name: string): string =>
      fileURLToPath(new URL(`../testing/fixtures/${name}`, import.meta.url));
    copyFileSync(fixture('localhost.crt'), join(folder, 'b.crt'));
    copyFileSync(fixture('localhost.key'), join(folder, 'b.key'));
    const { server } = configOf('server:\n  host: 0.0.0.0\n  tls: { certificate: b.crt, key: b.key }\n');
    expect(server.tls).toEqual({ certificate: join(folder, 'b.crt'), key: join(folder, 'b.key') });
  });

  it('is not needed if plain HTTP is allowed', () => {
    expect(configOf('server:\n  host: 0.0.0.0\n  allow_plain_http: true\n').server.host).toBe('0.0.0.0');
  });
});
