import { describe, expect, it } from 'vitest';
import { changedSettings, initialSettings, routesFaults } from './rules.ts';

const codes = (faults: readonly { pointer: string; code: string }[]): string[] =>
  faults.map(({ pointer, code }) => `${pointer} ${code}`);

describe('routes', () => {
  const ranges = { ipv4_cidr: '10.10.0.0/24', ipv6_cidr: 'fd00:1:2:3::/64' };
  const route = (destination: string, next_hop: string) => ({ destination, next_hop });

  it('accept a next hop inside the network, of the same family as the destination', () => {
    const routes = [
      route('192.168.50.0/24', '10.10.0.20'),
      route('0.0.0.0/0', '10.10.0.20'),
      route('2001:db8::/32', 'fd00:1:2:3::20'),
    ];
    expect(routesFaults(routes, ranges)).toEqual([]);
  });

  it.each([
    ['192.168.50.0/24', '10.10.1.20', '/routes/0/next_hop out_of_range'],
    ['192.168.50.0/24', 'fd00:1:2:3::20', '/routes/0/next_hop incompatible'],
    ['2001:db8::/32', 'fd00:1:2:4::20', '/routes/0/next_hop out_of_range'],
  ])('refuse the destination %s over %s', (destination, hop, fault) => {
    expect(codes(routesFaults([route(destination, hop)], ranges))).toEqual([fault]);
  });

  it('refuse a next hop of a family that the network does not have', () => {
    const faults = routesFaults([route('2001:db8::/32', 'fd00:1:2:3::20')], { ...ranges, ipv6_cidr: null });
    expect(codes(faults)).toEqual(['/routes/0/next_hop out_of_range']);
  });

  it('refuse the same destination twice, in any notation', () => {
    const faults = routesFaults(
      [route('2001:db8::/32', 'fd00:1:2:3::20'), route('2001:0DB8:0::/32', 'fd00:1:2:3::21')],
      ranges,
    );
    expect(codes(faults)).toEqual(['/routes/1/destination not_unique']);
  });
});

describe('changed settings', () => {
  it('keep the values of members that are left out', () => {
    expect(changedSettings(initialSettings, {})).toEqual(initialSettings);
    const changed = changedSettings(initialSettings, { nat: { ipv6: true }, dns: { servers: ['9.9.9.9'] } });
    expect(changed).toEqual({
      nat: { ipv4: true, ipv6: true },
      dns: { servers: ['9.9.9.9'], domain: null },
      routes: [],
    });
    expect(
      changedSettings(
        { ...initialSettings, dns: { servers: [], domain: 'a.test' } },
        { dns: { domain: null } },
      ).dns.domain,
    ).toBeNull();
  });

  it('store addresses in canonical form', () => {
    const { dns, routes } = changedSettings(initialSettings, {
      dns: { servers: ['2620:00FE::fe'] },
      routes: [{ destination: '2001:0DB8::/32', next_hop: 'FD00::5' }],
    });
    expect(dns.servers).toEqual(['2620:fe::fe']);
    expect(routes).toEqual([{ destination: '2001:db8::/32', next_hop: 'fd00::5', description: '' }]);
  });
});
