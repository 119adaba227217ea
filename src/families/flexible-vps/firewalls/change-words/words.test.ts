import { describe, expect, it } from 'vitest';
import type { StoredRule } from '../table.ts';
import type { Settings } from './openings.ts';
import { settingSentences } from './words.ts';

const NEUTRAL: StoredRule = {
  id: 'fwr_01jqzv2m7xe9rs5d3k8w4t6y0b',
  direction: 'in',
  action: 'allow',
  protocol: 'tcp',
  ports: [],
  remote_cidrs: [],
  remote_firewall_ids: [],
  icmp_type: null,
  enabled: true,
  description: '',
};

const rule = (members: Partial<StoredRule>): StoredRule => ({ ...NEUTRAL, ...members });
const tcp = (ports: string, ...remote_cidrs: string[]): StoredRule =>
  rule({ ports: ports === '' ? [] : ports.split(','), remote_cidrs });
const drop = (members: Partial<StoredRule>): StoredRule => rule({ action: 'drop', ...members });

const settings = (rules: readonly StoredRule[], defaults: Partial<Settings> = {}): Settings => ({
  default_in: 'drop',
  default_out: 'allow',
  rules,
  ...defaults,
});

const said = (before: Settings, after: Settings): string[] =>
  settingSentences(before, after, 'it').map(
    ({ say, loosens }) => `${loosens ? 'LOOSENS' : 'ok'} ${say('12 machines')}`,
  );
const between = (before: readonly StoredRule[], after: readonly StoredRule[]): string[] =>
  said(settings(before), settings(after));

const NOTHING: string[] = [];
const [OFFICE, LAB] = ['203.0.113.0/24', '198.51.100.0/24'];

describe('an equivalent notation of rules opens and closes nothing', () => {
  it.each([
    ['another order', [tcp('22'), tcp('80')], [tcp('80'), tcp('22')]],
    ['a range that is split', [tcp('1-65535')], [tcp('1-1000'), tcp('1001-65535')]],
    ['all ports written as a range', [tcp('')], [tcp('1-65535')]],
    ['one rule for two', [tcp('22'), tcp('80')], [tcp('22,80')]],
    [
      'a range of addresses that is split',
      [tcp('22', '10.0.0.0/8')],
      [tcp('22', '10.0.0.0/9', '10.128.0.0/9')],
    ],
    ['a rule that another covers', [tcp('1-1024')], [tcp('1-1024'), tcp('22', OFFICE)]],
    ['everybody as two ranges', [tcp('22')], [tcp('22', '0.0.0.0/0', '::/0')]],
    ['a rule that is not enabled', [], [rule({ ports: ['22'], enabled: false })]],
    ['a rule that a dropping rule covers', [drop({})], [drop({}), tcp('22')]],
    [
      'all protocols one by one, of those that can be named',
      [rule({ protocol: 'any' })],
      [rule({ protocol: 'any' }), tcp(''), rule({ protocol: 'udp' })],
    ],
  ])('%s', (_, before, after) => {
    expect(between(before, after)).toEqual(NOTHING);
    expect(between(after, before)).toEqual(NOTHING);
  });
});

describe('a change is described by what it opens and closes', () => {
  it.each<[string, StoredRule[], StoredRule[], string[]]>([
    ['a rule', [], [tcp('1-65535', LAB)], [`LOOSENS it opens tcp 1-65535 to ${LAB} for 12 machines`]],
    [
      'more ports',
      [tcp('22', LAB)],
      [tcp('20-25', LAB)],
      [`LOOSENS it opens tcp 20-21, 23-25 to ${LAB} for 12 machines`],
    ],
    [
      'more remotes',
      [tcp('22', OFFICE)],
      [tcp('22', OFFICE, LAB)],
      [`LOOSENS it opens tcp 22 to ${LAB} for 12 machines`],
    ],
    ['everybody', [tcp('22', OFFICE)], [tcp('22')], ['LOOSENS it opens tcp 22 to everybody for 12 machines']],
    [
      'fewer remotes',
      [tcp('22')],
      [tcp('22', OFFICE)],
      [`ok it closes tcp 22 to everybody except ${OFFICE} for 12 machines`],
    ],
    [
      'an exchange',
      [tcp('22')],
      [tcp('443')],
      [
        'LOOSENS it opens tcp 443 to everybody for 12 machines',
        'ok it closes tcp 22 to everybody for 12 machines',
      ],
    ],
    [
      'a dropping rule',
      [tcp('')],
      [tcp(''), drop({ ports: ['25'] })],
      ['ok it closes tcp 25 to everybody for 12 machines'],
    ],
    [
      'several protocols',
      [],
      [tcp('53'), rule({ protocol: 'udp', ports: ['53'] }), rule({ protocol: 'icmp', icmp_type: 8 })],
      ['LOOSENS it opens tcp 53 and udp 53 and icmp type 8 to everybody for 12 machines'],
    ],
    [
      'all protocols',
      [],
      [rule({ protocol: 'any' })],
      ['LOOSENS it opens everything to everybody for 12 machines'],
    ],
    [
      'one address of IPv6',
      [],
      [tcp('22', '2001:db8::1/128')],
      ['LOOSENS it opens tcp 22 to 2001:db8::1/128 for 12 machines'],
    ],
    [
      'the machines of another firewall',
      [],
      [rule({ ports: ['5432'], remote_firewall_ids: ['fw_01jqzv2m7xe9rs5d3k8w4t6y0b'] })],
      [
        'LOOSENS it opens tcp 5432 to the machines of the firewall fw_01jqzv2m7xe9rs5d3k8w4t6y0b for 12 machines',
      ],
    ],
  ])('%s', (_, before, after, wanted) => {
    expect(between(before, after)).toEqual(wanted);
  });

  it('outgoing traffic that the default allows is not opened by a rule', () => {
    const out = rule({ direction: 'out', ports: ['443'] });
    expect(between([], [out])).toEqual(NOTHING);
    expect(said(settings([], { default_out: 'drop' }), settings([out], { default_out: 'drop' }))).toEqual([
      'LOOSENS it opens outgoing tcp 443 to everybody for 12 machines',
    ]);
  });

  it('a default that allows incoming traffic loosens, and what a rule closes is listed as well', () => {
    const after = settings([drop({ ports: ['22'] })], { default_in: 'allow' });
    expect(said(settings([tcp('22', OFFICE)]), after)).toEqual([
      'LOOSENS it lets in all arriving connections that no rule drops, for 12 machines',
      `ok it closes tcp 22 to ${OFFICE} for 12 machines`,
    ]);
  });
});

it('a default that changes nothing beside the rules opens and closes nothing', () => {
  const any = rule({ protocol: 'any' });
  expect(said(settings([any]), settings([any], { default_in: 'allow' }))).toEqual(NOTHING);
  expect(said(settings([any], { default_in: 'allow' }), settings([any]))).toEqual(NOTHING);
});

/** The largest firewall that a request can describe. */
const many = (n: number): StoredRule[] =>
  Array.from({ length: 100 }, (_, i) =>
    rule({
      ports: Array.from({ length: 20 }, (__, j) => String(1 + i * 20 + j * 7)),
      remote_cidrs: Array.from({ length: 50 }, (__, j) => `10.${i}.${j * 2 + n}.0/24`),
    }),
  );

it('rules that are too many to compare count as opening if one of them may open something', () => {
  const [none, open] = [settings(many(0)), settings(many(1))];
  expect(said(none, open)).toEqual(['LOOSENS it brings 100 new rules and takes 100 away for 12 machines']);
  const drops = settings(many(1).map((each) => ({ ...each, action: 'drop' })));
  expect(said(settings([]), drops)).toEqual(['ok it brings 100 new rules and takes 0 away for 12 machines']);
  expect(said(drops, settings([]))).toEqual([
    'LOOSENS it brings 0 new rules and takes 100 away for 12 machines',
  ]);
});
