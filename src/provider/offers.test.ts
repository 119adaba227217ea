/** What is on sale can be bought, or the file has a fault. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../configuration.ts';
import { readDefaultText } from './default.ts';
import { type Fault, listFaults, reportFaults } from './fault.ts';

const SMALL = readFileSync(
  fileURLToPath(new URL('../testing/fixtures/small-provider.yaml', import.meta.url)),
  'utf8',
);
const defaultText = readDefaultText();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostplane-offers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function faultsIn(text: string): readonly Fault[] {
  const file = join(folder, 'hostplane.yaml');
  writeFileSync(file, text);
  const loaded = loadConfiguration({ file, env: {}, defaultText });
  return loaded.ok ? [] : loaded.faults;
}

/** The faults after one text replacement, as `line path: message`. */
function edited(from: string | RegExp, to: string): string[] {
  const text = SMALL.replace(from, to);
  expect(text).not.toBe(SMALL);
  return faultsIn(text).map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

describe('a provider who sells machines', () => {
  it('needs only what machines need', () => {
    expect(faultsIn(SMALL)).toEqual([]);
  });

  it.each([
    [
      'without an IPv6 pool',
      /^ *- \{ slug: v6.*\n/m,
      '',
      /^15 .*\/locations\/0\/slug: .* no pool of IPv6 prefixes/,
    ],
    [
      'without an IPv4 pool',
      /^ *- \{ slug: v4.*\n/m,
      '',
      /^15 .*\/locations\/0\/slug: .* no pool of IPv4 addresses/,
    ],
    [
      'with a pool for subnets only',
      'cidr: 192.0.2.0/24, purpose: single',
      'cidr: 192.0.2.0/24, purpose: subnet',
      /no pool of IPv4/,
    ],
    [
      'with a pool that has no address to give',
      '192.0.2.0/24',
      '192.0.2.0/31',
      /\/address_pools\/0\/cidr: .*too small/,
    ],
    [
      'without an engine',
      'compute: { driver: sandbox, pace: 0 }',
      'compute: null',
      /\/plans\/0\/locations: .* has an engine/,
    ],
    ['without an image', /^ {2}images:\n( {4}.*\n)+/m, '', /^23 \/catalogue\/plans\/0: No image fits small/],
    [
      'with an image that fits no plan',
      'min_memory_mb: 512',
      'min_memory_mb: 2048',
      /\/images\/0: debian-12 fits no plan/,
    ],
    ['without a plan', /^ {2}plans:\n( {4}.*\n)+/m, '', /\/products\/1: .* no plan to buy/],
    [
      'without the price of a plan',
      'sku: own.small, family',
      'sku: own.large, family',
      /\/plans\/0\/sku: own.small is not in the price list/,
    ],
    [
      'without the price of addresses',
      /^ *- \{ sku: ip.ipv4.*\n.*\n/m,
      '',
      /\/prices: ip.ipv4 is not in the price list/,
    ],
  ])('%s is refused with path and line', (_what, from, to, fault) => {
    expect(edited(from, to)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  });

  it('can offer custom sizes in a location only with machines of its kind and prices', () => {
    const custom = `  custom_plan: { architecture: arm64, traffic_gb_per_month: 1, network_mbps: 1, locations: [here],
    limits: { vcpus: { min: 1, max: 2 }, memory_mb: { min: 512, max: 1024 }, disk_gb: { min: 10, max: 20 },
      memory_mb_per_vcpu: { min: 256, max: 1024 } } }
`;
    const faults = edited('  images:\n', `${custom}  images:\n`).join('\n');
    expect(faults).toContain('/catalogue/custom_plan/locations/0: here has no arm64 machines.');
    expect(faults).toContain('No image fits the custom plan');
    expect(faults).toContain('vps.custom-vcpu is not in the price list.');
  });

  it('needs neither pools nor prices while the family is off', () => {
    const off = SMALL.replace(/^ *- \{ family: flexible-vps.*\n/m, '')
      .replace(/^ {2}prices:\n( {4}.*\n)+/m, '')
      .replace(/^ {2}address_pools:\n( {4}.*\n)+/m, '');
    expect(faultsIn(off)).toEqual([]);
  });

  it('needs a price for ISOs, which customers can import wherever machines are sold', () => {
    expect(edited(/^ *- \{ sku: vps\.iso(.*\n){2}/m, '')).toEqual([
      expect.stringMatching(/ \/catalogue\/prices: vps\.iso is not in the price list\.$/),
    ]);
  });

  it('needs no prices of families that are not built', () => {
    const tiers =
      '  kubernetes: { regions: [here], tiers: [{ slug: ha, name: HA, replicas: 3, sku: k8s.ha }] }\n';
    expect(edited('  images:\n', `${tiers}  images:\n`)).toEqual([]);
    const listed = '    - { family: kubernetes, name: Kubernetes }\n  locations:\n';
    expect(edited('  locations:\n', listed)).toEqual([]);
  });
});

describe('a report of faults', () => {
  const fault = (path: string, line: number): Fault => ({
    path,
    file: 'f.yaml',
    line,
    column: 1,
    message: 'Wrong.',
    fix: 'Correct it.',
  });

  it('groups them by section', () => {
    const faults = [
      fault('/server/prot', 1),
      fault('/catalogue/plans/0/sku', 5),
      fault('/catalogue/plans/1', 6),
    ];
    expect(reportFaults(faults)).toBe(
      [
        'server',
        '  f.yaml:1:1 /server/prot: Wrong. Correct it.',
        'catalogue.plans',
        '  f.yaml:5:1 /catalogue/plans/0/sku: Wrong. Correct it.',
        '  f.yaml:6:1 /catalogue/plans/1: Wrong. Correct it.',
      ].join('\n'),
    );
  });

  it('shows the first ten and says how many more there are, and where', () => {
    const plans = Array.from({ length: 11 }, (_, i) => fault(`/catalogue/plans/${i}`, i + 1));
    const faults = [...plans, fault('/catalogue/limits/0', 20), fault('/catalogue/limits/1', 21)];
    const lines = reportFaults(faults).split('\n');
    expect(lines).toHaveLength(12);
    const more =
      '3 more faults are not shown (1 in catalogue.plans, 2 in catalogue.limits). Correct those above first.';
    expect(lines.at(-1)).toBe(more);
    expect(listFaults(faults)).toHaveLength(11);
    expect(listFaults(faults).at(-1)).toBe(more);
  });
});
