import { describe, expect, it } from 'vitest';
import { parseAddress } from './address.ts';
import { kindOf } from './address-kind.ts';

describe('kindOf', () => {
  it.each([
    ['8.8.8.8', 'global'],
    ['2606:4700::1111', 'global'],
    ['172.15.255.255', 'global'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'global'],
    ['10.1.2.3', 'private'],
    ['192.168.0.1', 'private'],
    ['fd12::1', 'private'],
    ['127.8.8.8', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['0.1.2.3', 'reserved'],
    ['169.254.1.1', 'link_local'],
    ['fe80::1', 'link_local'],
    ['100.63.255.255', 'global'],
    ['100.64.0.1', 'carrier_nat'],
    ['100.127.255.255', 'carrier_nat'],
    ['100.100.100.200', 'metadata'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['::7f00:1', 'reserved'],
    ['4000::1', 'reserved'],
    ['9000::1', 'reserved'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::169.254.169.254', 'metadata'],
    ['64:ff9b::8.8.8.8', 'global'],
    ['64:ff9b:1::8.8.8.8', 'reserved'],
  ])('%s is %s', (text, kind) => {
    expect(kindOf(parseAddress(text)!)).toBe(kind);
  });
});
