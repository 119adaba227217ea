/** Compares the sets with the meaning of single rules, at single packets. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAddress } from '../../../../kernel/net/address.ts';
import { cidrContains, parseCidr } from '../../../../kernel/net/cidr.ts';
import { readPorts } from '../rules.ts';
import type { StoredRule } from '../table.ts';
import { combined } from './effective.ts';
import { differenceOf, type Opening, type Settings } from './openings.ts';
import { remotesOf } from './remotes.ts';

const addresses = ['10.0.0.1', '10.0.0.200', '10.0.1.1', '192.0.2.1', '2001:db8::1', '2001:db8:1::1'];
const ranges = [
  '10.0.0.0/24',
  '10.0.0.0/25',
  '10.0.0.0/8',
  '0.0.0.0/0',
  '2001:db8::/32',
  '2001:db8::/48',
  '::/0',
];
const ports = [1, 21, 22, 23, 79, 80, 81, 443, 65_535];

interface Packet {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly address: string;
}

const packets: readonly Packet[] = (['tcp', 'udp'] as const).flatMap((protocol) =>
  ports.flatMap((port) => addresses.map((address) => ({ protocol, port, address }))),
);

function isAbout(rule: StoredRule, { protocol, port, address }: Packet): boolean {
  const isPort =
    rule.ports.length === 0 ||
    rule.ports.map(readPorts).some((range) => range !== null && range.from <= port && port <= range.to);
  const parsed = parseAddress(address);
  const isRemote =
    rule.remote_cidrs.length === 0 ||
    rule.remote_cidrs.some((text) => parsed && cidrContains(parseCidr(text)!.cidr, parsed));
  return rule.enabled && (rule.protocol === 'any' || rule.protocol === protocol) && isPort && isRemote;
}

function passes({ default_in, rules }: Settings, packet: Packet): boolean {
  const about = rules.filter((rule) => isAbout(rule, packet));
  if (about.some(({ action }) => action === 'drop')) return false;
  return about.length > 0 || default_in === 'allow';
}

const isIn = (openings: readonly Opening[], { protocol, port, address }: Packet): boolean => {
  const [at] = remotesOf({ remote_cidrs: [address], remote_firewall_ids: [] }, []);
  return openings.some(
    ({ parts, remotes }) =>
      parts.some(({ channel, first, last }) => channel === protocol && first <= port && port <= last) &&
      remotes.some(({ from, to }) => from <= at!.from && at!.from <= to),
  );
};

const anyRule: fc.Arbitrary<StoredRule> = fc.record({
  id: fc.constant('fwr_01jqzv2m7xe9rs5d3k8w4t6y0b'),
  direction: fc.constant('in' as const),
  action: fc.constantFrom('allow' as const, 'allow' as const, 'drop' as const),
  protocol: fc.constantFrom('tcp' as const, 'udp' as const, 'any' as const),
  ports: fc.subarray(['22', '80', '20-25', '1-65535', '22-443'], { maxLength: 2 }),
  remote_cidrs: fc.subarray(ranges, { maxLength: 3 }),
  remote_firewall_ids: fc.constant([]),
  icmp_type: fc.constant(null),
  enabled: fc.boolean(),
  description: fc.constant(''),
});
const anySettings: fc.Arbitrary<Settings> = fc.record({
  default_in: fc.constantFrom('allow' as const, 'drop' as const),
  default_out: fc.constant('allow' as const),
  rules: fc.array(anyRule, { maxLength: 4 }),
});

it('a packet passes after a change and not before exactly if the change is said to open it', () => {
  fc.assert(
    fc.property(anySettings, anySettings, (before, after) => {
      const { opened, closed } = differenceOf(before, after, 'in')!;
      for (const packet of packets) {
        const [had, has] = [passes(before, packet), passes(after, packet)];
        if (has && !had) expect(isIn(opened, packet)).toBe(true);
        // What is opened to everybody may name packets that passed before, too.
        if (!has) expect(isIn(opened, packet)).toBe(false);
        expect(isIn(closed, packet)).toBe(had && !has);
      }
      if (packets.every((packet) => passes(before, packet) || !passes(after, packet))) return;
      expect(opened).not.toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it('several firewalls pass a packet if a rule allows it and none drops it, or else if all defaults allow it', () => {
  fc.assert(
    fc.property(fc.array(anySettings, { maxLength: 3 }), (firewalls) => {
      for (const packet of packets) {
        const about = firewalls.flatMap(({ rules }) => rules.filter((rule) => isAbout(rule, packet)));
        const byDefault = firewalls.every(({ default_in }) => default_in === 'allow');
        const wanted = about.every(({ action }) => action === 'allow') && (about.length > 0 || byDefault);
        expect(passes(combined(firewalls), packet)).toBe(wanted);
      }
    }),
    { numRuns: 50 },
  );
});

it('unchanged settings open and close nothing', () => {
  fc.assert(
    fc.property(anySettings, (settings) => {
      expect(differenceOf(settings, settings, 'in')).toMatchObject({ opened: [], closed: [] });
    }),
  );
});
