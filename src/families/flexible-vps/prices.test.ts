import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced, problemsOf } from '../../testing/tariff.ts';

const vm = { location: 'fra1', plan: 'flex-2-4', public_ipv4: { mode: 'none' } };

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'vm',
      { location: 'fra1', plan: 'flex-2-4' },
      {},
      ['vps.flex-2-4 7.50', 'ip.ipv4 0.50', 'traffic.out 0.00'],
    ],
    [
      'vm',
      { ...vm, public_ipv4: { mode: 'reserved', ip_id: 'ip_1' } },
      {},
      ['vps.flex-2-4 7.50', 'traffic.out 0.00'],
    ],
    [
      'vm',
      { ...vm, image_id: 'windows-server-2025' },
      {},
      ['vps.flex-2-4 7.50', 'vps.licence-windows 13.60', 'traffic.out 0.00'],
    ],
    [
      'vm',
      { ...vm, source: { type: 'image', image_id: 'windows-server-2025' } },
      {},
      ['vps.flex-2-4 7.50', 'vps.licence-windows 13.60', 'traffic.out 0.00'],
    ],
    [
      'vm',
      { ...vm, backup: { per_month: 30, keep: 7 } },
      {},
      ['vps.flex-2-4 7.50', 'traffic.out 0.00', 'vps.backup 8.40'],
    ],
    [
      'vm',
      { ...vm, backup: { keep: 7 } },
      { usage: { backup_gb: 100, snapshot_gb: 10 } },
      ['vps.flex-2-4 7.50', 'traffic.out 0.00', 'vps.snapshot 0.20', 'vps.backup 1.50'],
    ],
    [
      'vm',
      {
        location: 'fra1',
        custom_size: { vcpus: 3, memory_mb: 6144, disk_gb: 50 },
        public_ipv4: { mode: 'none' },
      },
      {},
      ['vps.custom-vcpu 5.70', 'vps.custom-memory 6.60', 'vps.custom-disk 2.00', 'traffic.out 0.00'],
    ],
    ['volume', { location: 'fra1', size_gb: 100 }, {}, ['volume.standard 4.40']],
    ['volume', { location: 'fra1', size_gb: 100, tier: 'fast' }, {}, ['volume.fast 9.50']],
    ['volume', { location: 'fra1', size_gb: 100 }, { hoursPerMonth: 73 }, ['volume.standard 0.44']],
    ['image', { location: 'fra1', size_gb: 10 }, {}, ['vps.image 0.15']],
    ['iso', { location: 'fra1', size_gb: 2.5 }, {}, ['vps.iso 0.04']],
    [
      'backup',
      { location: 'fra1', size_gb: 100 },
      { usage: { download_gb: 1000 } },
      ['vps.backup 1.50', 'traffic.out 1.00'],
    ],
    ['snapshot', { location: 'fra1', size_gb: 100 }, {}, ['vps.snapshot 2.00']],
    [
      'vpn_gateway',
      { location: 'fra1' },
      { usage: { traffic_out_gb: 3000 } },
      ['vpn.gateway 5.00', 'vpn.traffic-out 2.00'],
    ],
    ['network', { anything: 1 }, { quantity: 3 }, ['free.network 0.00']],
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});

describe('a configuration', () => {
  it.each<[string, Configuration, Options, string[]]>([
    ['vm', {}, {}, ['/configuration/location required']],
    ['vm', { location: 'fra1' }, {}, ['/configuration/plan required']],
    [
      'vm',
      { location: 'x1', plan: 'flex-2-5', image_id: 'dos' },
      {},
      ['/configuration/location unknown_reference', '/configuration/plan unknown_reference'],
    ],
    [
      'vm',
      { ...vm, plan: 'flex-2-4', disk_bg: 5, disk_gb: 'x' },
      {},
      ['/configuration/disk_bg unknown_member', '/configuration/disk_gb invalid_format'],
    ],
    ['vm', { ...vm, disk_gb: 79 }, {}, ['/configuration/disk_gb out_of_range']],
    ['vm', { ...vm, disk_gb: 2001 }, {}, ['/configuration/disk_gb out_of_range']],
    [
      'vm',
      { ...vm, custom_size: { vcpus: 1, memory_mb: 512, disk_gb: 10 } },
      {},
      ['/configuration/custom_size mutually_exclusive'],
    ],
    [
      'vm',
      { location: 'fra1', custom_size: { vcpus: 33, memory_mb: 700, disk_gb: 5 } },
      {},
      [
        '/configuration/custom_size/vcpus out_of_range',
        '/configuration/custom_size/memory_mb out_of_range',
        '/configuration/custom_size/disk_gb out_of_range',
      ],
    ],
    [
      'vm',
      { location: 'fra1', custom_size: { vcpus: 1, memory_mb: 32_768, disk_gb: 10 } },
      {},
      ['/configuration/custom_size/memory_mb out_of_range'],
    ],
    ['vm', { ...vm, image_id: 'ubuntu-24.04-arm64' }, {}, ['/configuration/image_id incompatible']],
    [
      'vm',
      { ...vm, plan: 'flex-1-1', image_id: 'windows-server-2025' },
      {},
      ['/configuration/image_id incompatible'],
    ],
    ['vm', { ...vm, backup_policy_id: 'bpol_x' }, {}, ['/configuration/backup_policy_id unknown_reference']],
    [
      'vm',
      vm,
      { usage: { traffic: 1, backup_gb: -1 } },
      ['/usage/traffic unknown_member', '/usage/backup_gb out_of_range'],
    ],
    [
      'vm',
      {},
      { usage: { traffic: 1 } },
      ['/configuration/location required', '/usage/traffic unknown_member'],
    ],
    ['volume', { location: 'fra1', size_gb: 5, tier: 'x' }, {}, ['/configuration/size_gb out_of_range']],
    [
      'volume',
      { location: 'nope', size_gb: 50, tier: 'x' },
      {},
      ['/configuration/location unknown_reference', '/configuration/tier unknown_reference'],
    ],
  ])(
    'of %s is refused with all its faults if it is invalid: %j %j',
    (type, configuration, options, expected) => {
      expect(problemsOf(type, configuration, options)).toEqual(expected);
    },
  );

  it('may name a backup policy and an image of the account', () => {
    const references = {
      backupPolicy: () => ({ keep: 7 }),
      cluster: () => null,
      image: () => ({ architecture: 'amd64', min_disk_gb: 20 }),
    };
    const backed = priced('vm', { ...vm, image_id: 'img_1', backup_policy_id: 'bpol_1' }, { references });
    expect(linesOf(backed)).toContain('vps.backup 8.40');
  });
});
