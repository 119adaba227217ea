import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Nic } from '../instance.ts';
import { networkConfig } from './network-config.ts';

const nic = (index: number, given: Partial<Nic> = {}): Nic => ({
  id: `nic_${index}`,
  index,
  network: null,
  mac: `02:00:00:00:00:0${index}`,
  ipv4: `192.0.2.1${index}`,
  ipv6: null,
  aliases: [],
  antiSpoofing: true,
  ...given,
});

const inPrivate = (index: number, given: Partial<Nic> = {}): Nic =>
  nic(index, { network: 'net_1', ipv4: `10.0.0.1${index}`, ...given });

interface Ethernet {
  readonly dhcp4: boolean;
  readonly 'dhcp4-overrides'?: { readonly 'route-metric': number };
  readonly 'accept-ra': boolean;
  readonly addresses?: readonly string[];
  readonly optional?: boolean;
}

const ethernetsOf = (nics: readonly Nic[]): Record<string, Ethernet> =>
  parse(networkConfig(nics, 'container')).ethernets;

describe('the network configuration of a guest', () => {
  it('names each interface of a container by its device name', () => {
    const told = parse(networkConfig([nic(0, { ipv6: '2001:db8:77::1' })], 'container'));
    expect(told).toEqual({
      version: 2,
      ethernets: {
        eth0: {
          dhcp4: true,
          'dhcp4-overrides': { 'route-metric': 100 },
          'accept-ra': true,
          addresses: ['2001:db8:77::1/64'],
        },
      },
    });
  });

  it('matches each interface of a virtual machine by its MAC address, and renames it', () => {
    const told = parse(networkConfig([nic(1, { mac: '02:AB:00:00:00:01' })], 'virtual-machine'));
    expect(told.ethernets.eth1).toMatchObject({
      match: { macaddress: '02:ab:00:00:00:01' },
      'set-name': 'eth1',
    });
  });

  it('is empty without interfaces', () => {
    expect(parse(networkConfig([], 'container'))).toEqual({ version: 2, ethernets: {} });
  });

  it('requests no address of a family that the interface does not have', () => {
    const { eth0 } = ethernetsOf([nic(0, { ipv4: null })]);
    expect(eth0).toMatchObject({ dhcp4: false, 'accept-ra': false });
    expect(eth0).not.toHaveProperty('addresses');
  });

  it('routes through the public interface first, whatever its index is', () => {
    const ipv6 = 'fd00::10';
    const { eth0, eth1, eth2 } = ethernetsOf([
      inPrivate(2),
      nic(1, { ipv6: '2001:db8:77::1' }),
      inPrivate(0, { ipv6 }),
    ]);
    const metrics = [eth1, eth0, eth2].map((one) => one?.['dhcp4-overrides']?.['route-metric'] ?? 0);
    expect(metrics).toEqual(metrics.toSorted((a, b) => a - b));
    expect(new Set(metrics).size).toBe(3);
    expect([eth0?.['accept-ra'], eth1?.['accept-ra'], eth2?.['accept-ra']]).toEqual([false, true, false]);
    expect(eth0?.addresses).toEqual(['fd00::10/64']);
  });

  it('routes through the first private interface if no public interface has an address of the family', () => {
    const { eth0, eth1, eth2 } = ethernetsOf([
      nic(0),
      inPrivate(1, { ipv6: 'fd00::10' }),
      inPrivate(2, { ipv6: 'fd01::10' }),
    ]);
    expect([eth0?.['accept-ra'], eth1?.['accept-ra'], eth2?.['accept-ra']]).toEqual([false, true, false]);
  });

  it('marks every interface but the first as optional, so that the boot does not wait for it', () => {
    const { eth1, eth3 } = ethernetsOf([inPrivate(3), nic(1)]);
    expect([eth1?.optional, eth3?.optional]).toEqual([undefined, true]);
  });

  it('leaves routed aliases to the owner of the machine', () => {
    const aliases = ['192.0.2.200', '2001:db8:88::/64'];
    expect(ethernetsOf([nic(0, { aliases })])).toEqual(ethernetsOf([nic(0)]));
  });
});
