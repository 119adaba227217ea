import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../configuration.ts';
import { readDefaultText } from './default.ts';
import { type Fault, formatFault } from './fault.ts';

const defaultText = readDefaultText();
const now = new Date('2026-03-01T10:00:00Z');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostplane-faults-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function faultsIn(text: string | Buffer): readonly Fault[] {
  const file = join(folder, 'hostplane.yaml');
  writeFileSync(file, text);
  const loaded = loadConfiguration({ file, env: {}, defaultText, now });
  return loaded.ok ? [] : loaded.faults;
}

const own = (faults: readonly Fault[]): readonly Fault[] =>
  faults.filter(({ file }) => file.endsWith('hostplane.yaml'));

const listOf = (text: string): { name: string; text: string }[] =>
  [...text.matchAll(/^ {2}(\w+):.*\n(?:(?: {3}.*| {2}#.*|)\n)*/gm)].map(([all, name = '']) => ({
    name,
    text: all,
  }));

/** Adds what an own file with a catalogue or a provider has to have, as it is in the default, at its end. */
function completed(text: string): string {
  const catalogue = listOf(defaultText.slice(defaultText.indexOf('\ncatalogue:\n')));
  const own = new Set(listOf(text.slice(text.search(/^catalogue:\n/m))).map(({ name }) => name));
  const rest = catalogue.filter(({ name }) => !own.has(name)).map((section) => section.text);
  const provider = /^provider:/m.test(text) ? '' : defaultSection('provider');
  if (/^catalogue:\n/m.test(text)) return `${text.trimEnd()}\n${rest.join('')}${provider}`;
  return `${text.trimEnd()}\ncatalogue:\n${catalogue.map((section) => section.text).join('')}`;
}

/** The faults of the default configuration after one text replacement. */
function edited(from: string | RegExp, to: string): readonly Fault[] {
  const text = defaultText.replace(from, to);
  expect(text).not.toBe(defaultText);
  return faultsIn(text);
}

function lineOf(text: string, part: string): number {
  const offset = text.indexOf(part);
  expect(offset).toBeGreaterThanOrEqual(0);
  return text.slice(0, offset).split('\n').length;
}

const plan = (rest: string): string =>
  `{ slug: p, name: P, category: shared, architecture: amd64, vcpus: 1, memory_mb: 1, disk_gb: 1,
      traffic_gb_per_month: 1, network_mbps: 1, ${rest} }`;

const priceEntry = (rest: string): string =>
  `catalogue:\n  prices:\n  - { sku: a.b, family: account, resource_type: vm, name: X, valid_from: 2025-01-01,\n    ${rest} }\n`;

describe('a fault', () => {
  it.each([
    ['syntax', 'server:\n  port: 80\n  host: [a\nredis: {}\n', '/redis', 4],
    ['a tab as indentation', 'server:\n\tport: 80\n', '/server', 2],
    ['a second document', 'server: {}\n---\nredis: {}\n', '/server', 2],
    ['an unknown tag', 'server:\n  port: !lots 80\n', '/server/port', 2],
    ['a duplicate key', 'server:\n  port: 80\n  host: ::1\n  port: 81\n', '/server/port', 4],
    ['an alias', 'server: &s\n  port: 80\nredis: *s\n', '/redis', 3],
    ['an unknown section', 'servers: {}\n', '/servers', 1],
    ['an unknown member', 'server:\n  prot: 80\n', '/server/prot', 2],
    ['a missing member', 'provider:\n  name: X\n', '/provider/domain', 1],
    ['a wrong type', 'server:\n  port: eighty\n', '/server/port', 2],
    ['a number out of range', 'server:\n  host: ::1\n  port: 65536\n', '/server/port', 3],
    ['a value not offered', 'server:\n  log_level: loud\n', '/server/log_level', 2],
    ['a wrong form', 'catalogue:\n  version: x\n  limits:\n  - id: VMS\n', '/catalogue/limits/0/id', 4],
    [
      'too many digits of money',
      priceEntry('billing: metered, unit: gb, prices: [{ unit_price: 0.0000001 }]'),
      '/catalogue/prices/0/prices/0/unit_price',
      4,
    ],
    ['a section of another kind', 'server: []\n', '/server', 1],
    [
      'a proxy range that is no range',
      'server:\n  trusted_proxies: [here]\n',
      '/server/trusted_proxies/0',
      2,
    ],
    [
      'a proxy range wider than /8',
      'server:\n  trusted_proxies:\n  - 10.0.0.1\n  - 0.0.0.0/7\n',
      '/server/trusted_proxies/1',
      4,
    ],
    ['plain HTTP for everyone', 'server:\n  host: 192.0.2.1\n', '/server/host', 2],
    ['Redis that is not there', 'server:\n  rate_limit: { store: redis }\n', '/server/rate_limit/store', 2],
    [
      'no such time zone',
      defaultSection('provider').replace('Europe/Berlin', 'Mars/Base'),
      '/provider/timezone',
      8,
    ],
    [
      'a plan in an unknown place',
      `catalogue:\n  plans:\n  - ${plan('locations: [fra2], sku: vps.flex-2-4')}\n`,
      '/catalogue/plans/0/locations/0',
      4,
    ],
    [
      'a plan without a price',
      `catalogue:\n  plans:\n  - ${plan('locations: [fra1], sku: vps.flex-3')}\n`,
      '/catalogue/plans/0/sku',
      4,
    ],
    [
      'a SKU of another kind',
      `catalogue:\n  plans:\n  - ${plan('locations: [fra1], sku: volume.fast')}\n`,
      '/catalogue/plans/0/sku',
      4,
    ],
    [
      'a pool that is no range',
      'catalogue:\n  address_pools:\n  - { slug: a, location: fra1, cidr: x, purpose: single }\n',
      '/catalogue/address_pools/0/cidr',
      3,
    ],
    [
      'a pool with host bits',
      'catalogue:\n  address_pools:\n  - { slug: a, location: fra1, cidr: 10.0.0.1/8, purpose: single }\n',
      '/catalogue/address_pools/0/cidr',
      3,
    ],
    [
      'a limit of no family',
      'catalogue:\n  limits:\n  - { id: vps.vms, name: X, unit: x, limit: 1, scope: account }\n',
      '/catalogue/limits/0/id',
      3,
    ],
    [
      'a maximum below the limit',
      'catalogue:\n  limits:\n  - { id: account.x, name: X, unit: x, limit: 5, scope: account, maximum_on_request: 4 }\n',
      '/catalogue/limits/0/maximum_on_request',
      3,
    ],
    [
      'a price without its amount',
      priceEntry('billing: monthly, unit: month, prices: [{ setup: 1 }]'),
      '/catalogue/prices/0/prices/0',
      4,
    ],
    [
      'an amount of another billing',
      priceEntry('billing: metered, unit: gb, prices: [{ unit_price: 1, hourly: 1 }]'),
      '/catalogue/prices/0/prices/0/hourly',
      4,
    ],
    [
      'two prices for one place',
      priceEntry('billing: metered, unit: gb, prices: [{ unit_price: 1 }, { unit_price: 2 }]'),
      '/catalogue/prices/0/prices/1/location',
      4,
    ],
    [
      'tiers out of order',
      priceEntry(
        'billing: metered, unit: gb, prices: [{ tiers: [{ from_quantity: 0, unit_price: 1 }, { from_quantity: 0, unit_price: 2 }] }]',
      ),
      '/catalogue/prices/0/prices/0/tiers/1/from_quantity',
      4,
    ],
    [
      'a price that ends before it begins',
      priceEntry('valid_until: 2024-01-01, billing: metered, unit: gb, prices: [{ unit_price: 1 }]'),
      '/catalogue/prices/0/valid_until',
      4,
    ],
    ['an accent on which white text is unreadable', 'portal:\n  accent: "#ffee00"\n', '/portal/accent', 2],
    ['a logo that is not there', 'portal:\n  logo: missing.png\n', '/portal/logo', 2],
    ['a logo that is no image', 'portal:\n  logo: logo.txt\n', '/portal/logo', 2],
    [
      'a day that is none',
      priceEntry('valid_until: 2026-13-45, billing: metered, unit: gb, prices: [{ unit_price: 1 }]'),
      '/catalogue/prices/0/valid_until',
      4,
    ],
  ])('of %s has its path and line', (_kind, text, path, line) => {
    const isSold = /^(catalogue|provider):/m.test(text);
    const fault = faultsIn(isSold ? completed(text) : text).find((each) => each.path === path);
    expect(fault).toMatchObject({ path, line, column: expect.any(Number) });
    expect(fault?.message.length).toBeGreaterThan(5);
    expect(fault?.fix.length).toBeGreaterThan(5);
  });

  it('contains a suggestion', () => {
    expect(faultsIn('server:\n  prot: 80\n')[0]?.fix).toBe('Did you mean port?');
    const faults = faultsIn(completed('catalogue:\n  pricse: []\n'));
    expect(faults.find(({ path }) => path === '/catalogue/pricse')?.fix).toBe('Did you mean prices?');
  });

  it('is printed on one line', () => {
    const [fault] = faultsIn('server:\n  prot: 80\n');
    expect(fault && formatFault(fault)).toBe(
      `${join(folder, 'hostplane.yaml')}:2:3 /server/prot: prot is not known here. Did you mean port?`,
    );
  });
});

function defaultSection(name: string): string {
  const match = new RegExp(`^${name}:\n(  .*\n)+`, 'm').exec(defaultText);
  if (!match) throw new Error(`no section ${name}`);
  return match[0];
}

describe('the catalogue', () => {
  it('refuses a repeated name', () => {
    const [fault] = own(edited('slug: ams1\n', 'slug: fra1\n')).filter(
      ({ path }) => path === '/catalogue/locations/1/slug',
    );
    expect(fault?.message).toContain('/catalogue/locations/0');
  });

  it('refuses overlapping pools', () => {
    const [fault] = edited('cidr: 203.0.113.128/25', 'cidr: 203.0.113.0/26');
    expect(fault).toMatchObject({ path: '/catalogue/address_pools/1/cidr' });
    expect(fault?.message).toContain('overlaps 203.0.113.0/25');
    expect(fault?.line).toBe(lineOf(defaultText, 'cidr: 203.0.113.128/25'));
  });

  it('refuses a pool that contains an earlier one', () => {
    const [fault] = edited('cidr: 203.0.113.128/25', 'cidr: 203.0.0.0/16');
    expect(fault?.message).toBe('203.0.0.0/16 overlaps 203.0.113.0/25 at /catalogue/address_pools/0.');
  });

  it('needs a price wherever something is sold', () => {
    const [fault] = edited('{ location: ams1, unit_price: 0.099 }', '{ location: hel1, unit_price: 0.099 }');
    expect(fault?.message).toBe('volume.fast is sold in ams1 but has no price there.');
  });

  it('needs a price that is valid today', () => {
    const faults = edited(/(sku: ip\.ipv4,[^\n]*\n[^\n]*)valid_from: 2025-01-01/, '$1valid_from: 2027-01-01');
    expect(faults.map(({ message }) => message)).toEqual([
      'ip.ipv4 is sold but no price of it is valid today.',
    ]);
  });

  it('needs machines of the kind that a plan uses', () => {
    const [fault] = edited('architectures: [amd64, arm64]', 'architectures: [amd64]');
    expect(fault?.message).toBe('fra1 has no arm64 machines.');
  });

  it('reports a missing price list once, and not every reference to it', () => {
    expect(own(faultsIn(completed('catalogue:\n  prices: none\n'))).map(({ path }) => path)).toEqual([
      '/catalogue/prices',
    ]);
    expect(own(faultsIn(completed('catalogue:\n  locations: none\n'))).map(({ path }) => path)).toEqual([
      '/catalogue/locations',
    ]);
  });
});

describe('faults', () => {
  it('are all reported at once, in order, those of the schema beside those of meaning', () => {
    const text = [
      'server:',
      '  host: 0.0.0.0',
      '  prot: 80',
      '  trusted_proxies: [0.0.0.0/0]',
      '  tls: { certificate: none.crt, key: none.key }',
      'database:',
      '  url: postgres://u:p@db/x',
      '  pool_size: many',
      'redis: { url_env: NOT_SET, port: 1 }',
      'egress: { ca_file: none.crt, allow: 1 }',
      'catalogue:',
      '  address_pools:',
      '  - { slug: a, location: fra1, cidr: 10.0.0.0/8, purpose: single }',
      '  - { slug: b, location: nowhere, cidr: 10.0.0.0/9, purpose: both }',
      '  - { slug: a, location: nowhere, cidr: 10.1.0.0/16, purpose: single }',
    ].join('\n');
    expect(faultsIn(completed(text)).map(({ line, path }) => `${line} ${path}`)).toEqual([
      '3 /server/prot',
      '4 /server/trusted_proxies/0',
      '5 /server/tls/certificate',
      '5 /server/tls/key',
      '7 /database/url',
      '8 /database/pool_size',
      '9 /redis/url_env',
      '9 /redis/port',
      '10 /egress/ca_file',
      '10 /egress/allow',
      '14 /catalogue/address_pools/1/purpose',
      '15 /catalogue/address_pools/2/slug',
      '15 /catalogue/address_pools/2/location',
      '15 /catalogue/address_pools/2/cidr',
    ]);
  });

  it('are limited in number', () => {
    const text = `catalogue:\n  limits:\n${'  - { id: nope.x, name: X, unit: x, limit: 1, scope: account }\n'.repeat(500)}`;
    const faults = faultsIn(completed(text));
    expect(faults).toHaveLength(200);
    expect(faults.at(-1)?.message).toMatch(/more faults are not shown/);
  });
});

describe('a file that cannot be read', () => {
  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghij'.split('').map((name, i) => {
      const before = 'abcdefghi'[i];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
    }),
  ].join('\n');

  it.each<[string, string | Buffer, RegExp]>([
    ['is too large', `# ${'x'.repeat(1_048_576)}\n`, /larger than 1 MiB/],
    ['is not UTF-8', Buffer.from([0x61, 0x3a, 0xff, 0xfe]), /not UTF-8/],
    ['is a list', '- 1\n', /no sections/],
    ['is nested too deeply', `server: ${'['.repeat(5000)}`, /nested too deeply/],
    ['is nested deeply but closed', `server: ${'['.repeat(40)}${']'.repeat(40)}`, /nested too deeply/],
    ['has a bomb of aliases', bomb, /aliases are not read/],
    ['turns back on itself', 'server: &a [*a]\n', /aliases are not read/],
  ])('because it %s is reported', (_why, text, message) => {
    expect(faultsIn(text).some((fault) => message.test(fault.message))).toBe(true);
  });

  it('because it does not exist is reported', () => {
    const loaded = loadConfiguration({ file: join(folder, 'nope.yaml'), env: {}, defaultText });
    expect(loaded).toMatchObject({ ok: false, faults: [{ message: expect.stringContaining('ENOENT') }] });
  });
});

describe('any text', () => {
  const lines = defaultText.split('\n');
  const line = fc.nat({ max: lines.length - 1 });
  const junk = fc.oneof(
    fc.string(),
    fc.constantFrom('&a', '*a', '[', '}', '"', '- ', ': ', '\t', '<<: *a', '!!map', '? x'),
  );
  const mutation = fc.oneof(
    fc.tuple(fc.constant('drop'), line, junk),
    fc.tuple(fc.constant('double'), line, junk),
    fc.tuple(fc.constant('replace'), line, junk),
    fc.tuple(fc.constant('append'), line, junk),
    fc.tuple(fc.constant('indent'), line, junk),
  );
  const mutate = (text: string[], [kind, at, word]: readonly [string, number, string]): string[] => {
    const old = text[at] ?? '';
    if (kind === 'drop') return text.toSpliced(at, 1);
    if (kind === 'double') return text.toSpliced(at, 0, old);
    if (kind === 'replace') return text.toSpliced(at, 1, word);
    return text.toSpliced(at, 1, kind === 'append' ? old + word : ` ${old}`);
  };
  const isTelling = (fault: Fault): boolean => fault.line >= 1 && fault.column >= 1 && fault.message !== '';

  it('is loaded or refused with line numbers, without an exception', () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const text = mutations.reduce(mutate, lines).join('\n');
        const loaded = loadConfiguration({ env: {}, defaultText: text });
        return loaded.ok || (loaded.faults.length > 0 && loaded.faults.every(isTelling));
      }),
      { numRuns: 40 },
    );
  });

  it('is refused even with more faults than are reported', () => {
    // Without the `limits:` line its entries become part of `prices`, and each entry has several faults.
    const loaded = loadConfiguration({ env: {}, defaultText: defaultText.replace(/^ {2}limits:.*$/m, '') });
    expect(loaded.ok ? [] : loaded.faults.filter(isTelling).length).toBeGreaterThan(50);
  });

  it('with any value for any section is loaded or refused', () => {
    const section = fc.constantFrom('provider', 'server', 'database', 'redis', 'catalogue');
    const inside = fc.constantFrom(
      'plans',
      'prices',
      'locations',
      'kubernetes',
      'dedicated',
      'datacenter',
      'custom_plan',
      'limits',
      '__proto__',
      'constructor',
    );
    const any = fc.jsonValue({ maxDepth: 4 });
    const file = fc.oneof(
      fc.dictionary(section, any),
      fc.dictionary(inside, any).map((catalogue) => ({ catalogue })),
    );
    fc.assert(
      fc.property(file, (value) => faultsIn(JSON.stringify(value)).every(isTelling)),
      { numRuns: 200 },
    );
  });
});
