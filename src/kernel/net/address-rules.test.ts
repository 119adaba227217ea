import { describe, expect, it } from 'vitest';
import {
  dnsServer,
  firewallRange,
  hostName,
  privateAddress,
  privateRange,
  routedRange,
} from './address-rules.ts';
import { calledEndpoint, calledUrl } from './called-hosts.ts';
import { Egress } from './egress.ts';

const egress = new Egress({ allow: [], deny: [], ca: null });
const LAB = new Egress({ allow: ['10.0.0.0/8'], deny: ['8.8.8.0/24'], ca: null });

describe('the range of a network', () => {
  it.each([
    '10.0.0.0/16',
    '10.255.255.240/28',
    '172.16.0.0/16',
    '172.31.255.0/24',
    '192.168.0.0/16',
    '100.64.0.0/20',
    '100.127.0.0/16',
  ])('may be %s', (text) => {
    expect(privateRange(16, 28)(text)).toBeNull();
  });

  it.each([
    ['10.0.0.0/15', 'out_of_range'],
    ['10.0.0.0/29', 'out_of_range'],
    ['172.32.0.0/16', 'out_of_range'],
    ['100.128.0.0/16', 'out_of_range'],
    ['11.0.0.0/24', 'out_of_range'],
    ['203.0.113.0/24', 'out_of_range'],
    ['10.0.0.1/24', 'invalid_format'],
    ['10.0.0.0', 'invalid_format'],
    ['10.0.0/24', 'invalid_format'],
    ['fd00::/64', 'invalid_format'],
    ['::ffff:10.0.0.0/120', 'invalid_format'],
  ])('may not be %s', (text, code) => {
    expect(privateRange(16, 28)(text)?.code).toBe(code);
  });
});

describe('the destination of a route', () => {
  const [route, subnet] = [routedRange({ orAll: true }), routedRange({ orAll: false })];

  it.each(['192.168.50.0/24', '203.0.113.0/24', '2001:db8::/32', 'fd00:1::/48', '64:ff9b::a00:0/104'])(
    'may be %s',
    (text) => {
      expect([route(text), subnet(text)]).toEqual([null, null]);
    },
  );

  it.each(['0.0.0.0/0', '::/0', '::ffff:0.0.0.0/96', '64:ff9b::/96'])(
    'may be the default route %s',
    (text) => {
      expect([route(text), subnet(text)?.code]).toEqual([null, 'out_of_range']);
    },
  );

  it.each([
    ['126.0.0.0/7', '127.0.0.0/8 (loopback)'],
    ['168.0.0.0/6', '169.254.0.0/16 (link-local)'],
    ['192.0.0.0/2', '224.0.0.0/4 (multicast)'],
    ['64:ff9b::a9fe:0/112', '169.254.0.0/16 (link-local)'],
  ])('may not be %s, which has addresses of %s', (text, word) => {
    expect([route(text)?.detail, subnet(text)?.detail]).toEqual(
      Array(2).fill(expect.stringContaining(`has addresses of ${word}`)),
    );
  });

  it('shows the range without host bits', () => {
    expect(route('192.168.50.1/24')?.detail).toContain('write 192.168.50.0/24');
  });
});

describe('the remote range of a firewall rule', () => {
  it.each([
    '0.0.0.0/0',
    '::/0',
    '224.0.0.251',
    '169.254.169.254',
    'fe80::/10',
    '255.255.255.255',
    '0.0.0.0/1',
  ])('may be %s', (text) => {
    expect(firewallRange(text)).toBeNull();
  });

  it.each(['127.0.0.1', '0.0.0.0/8', '::1', '::', '64:ff9b::7f00:1'])('may not be %s', (text) => {
    expect(firewallRange(text)?.code).toBe('out_of_range');
  });
});

it('DNS servers may be private or public, but not loopback or link-local', () => {
  expect(['9.9.9.9', '10.0.0.53', 'fd00::53', '2620:fe::fe'].map(dnsServer)).toEqual(Array(4).fill(null));
  expect(['127.0.0.53', 'fe80::1', 'dns.example.com'].map((text) => dnsServer(text)?.code)).toEqual([
    'out_of_range',
    'out_of_range',
    'invalid_format',
  ]);
});

it('addresses in a private network must be private', () => {
  expect(['10.10.0.20', '100.96.0.2', 'fd00::5'].map(privateAddress)).toEqual([null, null, null]);
  expect(privateAddress('8.8.8.8')?.code).toBe('out_of_range');
});

it('a host name must not end in a number', () => {
  expect(['web-1', 'a.1b', '1.example'].map(hostName)).toEqual([null, null, null]);
  expect(['10.0.0.1', '127', 'a.0x7f'].map((text) => hostName(text)?.code)).toEqual(
    Array(3).fill('invalid_format'),
  );
});

describe('the endpoint of a VPN peer', () => {
  it.each(['office.example.com:51820', '8.8.8.8:51820', '[2620:fe::fe]:51820', 'a.b.:1'])(
    'may be %s',
    (text) => {
      expect(calledEndpoint(text, egress)).toBeNull();
    },
  );

  it.each([
    'router:51820',
    'localhost:51820',
    'x.localhost:51820',
    '-a.b:1',
    'a..b:1',
    '8.8.8.8:0',
    '[8.8.8.8]:1',
  ])('may not be %s', (text) => {
    expect(calledEndpoint(text, egress)).not.toBeNull();
  });

  it('obeys the ranges that the provider allows and denies, as URLs do', () => {
    expect(calledEndpoint('10.0.0.1:1', LAB)).toBeNull();
    expect(calledUrl('https://10.0.0.1/', LAB)).toBeNull();
    expect(calledEndpoint('8.8.8.8:1', LAB)?.code).toBe('blocked_address');
    expect(calledUrl('https://8.8.8.8/', LAB)?.code).toBe('blocked_address');
  });
});
