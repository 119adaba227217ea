import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../kernel/net/address.ts';
import { defaultProvider } from '../../../testing/app.ts';
import { addressOfDefaultName, canonicalName, defaultName, hostnameFaults } from './hostname.ts';

const provider = defaultProvider();

describe('a name', () => {
  it.each([
    ['mail.example.com', 'mail.example.com'],
    ['Mail.Example.COM.', 'mail.example.com'],
    ['a.b', 'a.b'],
    ['1and1.example.4you', '1and1.example.4you'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example.', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%s is stored as %s', (text, stored) => {
    expect(hostnameFaults(text, provider)).toEqual([]);
    expect(canonicalName(text)).toBe(stored);
  });

  it.each([
    ['localhost', 'full name'],
    ['*.example.com', 'stands for many'],
    ['a_b.example.com', 'underscores'],
    ['-a.example.com', 'both ends'],
    ['a..example.com', 'between two dots'],
    ['.example.com', 'between two dots'],
    ['mail.example.com..', 'between two dots'],
    ['mail example.com', 'both ends'],
    [' mail.example.com', 'both ends'],
    ['mail.example.com\n', 'both ends'],
    ['203.0.113.20', 'read as an address'],
    ['2001:db8::1', 'read as an address'],
    ['mail.example.123', 'read as an address'],
    ['mail.0x7f', 'read as an address'],
    ['xn--a.example', 'not the ASCII form'],
    ['a\u202eb.example', 'cannot stand'],
    [`${'a'.repeat(64)}.example`, 'more than 63'],
    [`${'a.'.repeat(130)}example`, 'at most 253'],
  ])('%j is refused, because: %s', (text, words) => {
    expect(hostnameFaults(text, provider)).toEqual([
      { pointer: '/hostname', code: 'invalid_format', detail: expect.stringContaining(words) },
    ]);
  });

  it.each(['demo.example', 'mail.demo.example', '203-0-113-20.fra1.ip.DEMO.example.'])(
    '%s is the provider’s own',
    (text) => {
      expect(hostnameFaults(text, provider)).toMatchObject([{ code: 'reserved_name' }]);
    },
  );

  it('that only ends like the domain of the provider is free', () => {
    expect(hostnameFaults('mydemo.example', provider)).toEqual([]);
  });
});

it('an IPv4 address has a name by default, which leads back to it', () => {
  const name = defaultName(parseAddress('203.0.113.20')!, 'fra1', provider);
  expect(name).toBe('203-0-113-20.fra1.ip.demo.example');
  expect(addressOfDefaultName(name ?? '', provider)).toEqual({ address: '203.0.113.20', location: 'fra1' });
  expect(defaultName(parseAddress('2001:db8::1')!, 'fra1', provider)).toBeNull();
});

it.each([
  'mail.example.com',
  '203-0-113.fra1.ip.demo.example',
  'x.203-0-113-20.fra1.ip.demo.example',
  'ip.demo.example',
])('%s is the default name of no address', (name) => {
  expect(addressOfDefaultName(name, provider)).toBeNull();
});
