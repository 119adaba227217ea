import { describe, expect, it } from 'vitest';
import { demoTariff } from '../../../testing/tariff.ts';
import { formatMoney } from '../format.ts';
import { type PricedItem, type PriceOptions, price } from '../price.ts';
import { pricedTypes } from './table.ts';

const at = new Date('2026-03-01T10:00:00Z');
type Configuration = Record<string, unknown>;
type Options = Partial<PriceOptions>;

function priced(type: string, configuration: Configuration, options: Options = {}): PricedItem {
  const result = price(demoTariff, type, configuration, { at, ...options });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.item;
}

function problems(type: string, configuration: Configuration, options: Options = {}): string[] {
  const result = price(demoTariff, type, configuration, { at, ...options });
  return result.ok ? [] : result.problems.map(({ pointer, code }) => `${pointer} ${code}`);
}

const lines = (item: PricedItem): string[] =>
  item.lines.map(({ sku, monthly }) => `${sku} ${formatMoney(monthly)}`);

const vm = { location: 'fra1', plan: 'flex-2-4', public_ipv4: { mode: 'none' } };
const pool = { plan_id: 'flex-2-4', node_count: 2 };
const server = { product_id: 'metal-8-64', site_preferences: ['fra1'] };

describe('a resource type', () => {
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
    ['kubernetes_cluster', { region: 'fra1' }, {}, ['k8s.control-plane-standard 0.00']],
    [
      'kubernetes_cluster',
      {
        region: 'fra1',
        control_plane: { tier: 'ha' },
        node_pools: [
          { ...pool, name: 'a', taints: [] },
          { ...pool, node_count: 1, disk_gb: 100, public_ipv4: false },
        ],
      },
      {},
      [
        'k8s.control-plane-ha 30.00',
        'vps.flex-2-4 15.00',
        'ip.ipv4 1.00',
        'vps.flex-2-4 7.50',
        'vps.disk-extra 0.80',
        'traffic.out 0.00',
      ],
    ],
    [
      'kubernetes_cluster',
      { region: 'fra1', node_pools: [pool] },
      { usage: { load_balancers: 2, volume_gb: 50, traffic_out_gb: 41_000 } },
      [
        'k8s.control-plane-standard 0.00',
        'vps.flex-2-4 15.00',
        'ip.ipv4 1.00',
        'k8s.load-balancer 12.00',
        'volume.standard 2.20',
        'traffic.out 1.00',
      ],
    ],
    ['node_pool', { region: 'fra1', ...pool }, {}, ['vps.flex-2-4 15.00', 'ip.ipv4 1.00']],
    [
      'dedicated_server',
      server,
      {},
      ['dedicated.metal-8-64 79.00', 'dedicated.metal-8-64 0.00', 'dedicated.traffic-out 0.00'],
    ],
    [
      'dedicated_server',
      { ...server, os_id: 'windows-server-2025', uplink_option: '10g', extra_ipv4: 2 },
      { contractMonths: 12, usage: { percentile_95_mbps: 300 } },
      [
        'dedicated.metal-8-64-12m 73.00',
        'dedicated.uplink-10g 39.00',
        'dedicated.uplink-10g 0.00',
        'dedicated.licence-windows 29.00',
        'dedicated.ipv4 3.40',
        'dedicated.traffic-p95 90.00',
      ],
    ],
    [
      'object_storage',
      { region: 'fra1' },
      {
        usage: {
          stored_gb_average: 60_000,
          egress_gb: 2000,
          read_requests: 1_500_000,
          write_requests: 250_000,
        },
      },
      [
        's3.storage 300.00',
        's3.storage 55.00',
        's3.egress 1.00',
        's3.requests-read 0.60',
        's3.requests-write 1.00',
      ],
    ],
    ['address', { location: 'fra1', family: 'ipv4' }, {}, ['ip.ipv4 0.50']],
    ['address', { location: 'fra1', family: 'ipv4', prefix_length: 29 }, {}, ['ip.ipv4-subnet 9.60']],
    ['address', { location: 'fra1', family: 'ipv6' }, {}, ['ip.ipv6 0.00']],
    [
      'cross_connect',
      { site: 'fra1', media: 'single_mode' },
      {},
      ['xc.single-mode 60.00', 'xc.single-mode 0.00'],
    ],
    [
      'cross_connect',
      { site: 'fra1', media: 'cat6a', strands: 4, term_months: 24 },
      {},
      ['xc.cat6a-12m 80.00'],
    ],
    [
      'remote_hands',
      { site: 'fra1', priority: 'emergency' },
      { usage: { minutes: 16 } },
      ['hands.emergency 87.00'],
    ],
    ['monitor', { type: 'metric' }, {}, ['monitoring.metric 0.00']],
    [
      'monitor',
      {
        type: 'uptime',
        probe: { interval_seconds: 30, regions: ['eu-central', 'eu-north', 'us-east', 'us-west'] },
      },
      {},
      ['monitoring.uptime-fast 1.00', 'monitoring.uptime-region 0.50'],
    ],
    ['network', { anything: 1 }, { quantity: 3 }, ['free.network 0.00']],
    ['ticket', {}, {}, ['free.ticket 0.00']],
  ])('%s with %j and %j costs %j', (type, configuration, options, expected) => {
    expect(lines(priced(type, configuration, options))).toEqual(expected);
  });

  it('is one of 23', () => {
    expect([...pricedTypes.keys()]).toHaveLength(23);
  });

  it('that is unknown says what was meant', () => {
    const result = price(demoTariff, 'vms', {}, { at });
    expect(result).toMatchObject({
      ok: false,
      problems: [{ code: 'unknown_resource_type', detail: 'Did you mean vm?' }],
    });
  });
});

describe('a configuration', () => {
  it('may name, label and open what bears no price', () => {
    const identity = {
      name: 'web',
      labels: { a: 'b' },
      ssh_key_ids: ['x'],
      user_data: '#!',
      hostname: 'web',
    };
    expect(priced('vm', { ...vm, ...identity }).monthly).toBe(priced('vm', vm).monthly);
  });

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
    [
      'kubernetes_cluster',
      { region: 'fra1', node_pools: [{ plan_id: 'x' }] },
      {},
      [
        '/configuration/node_pools/0/plan_id unknown_reference',
        '/configuration/node_pools/0/node_count required',
      ],
    ],
    [
      'kubernetes_cluster',
      { region: 'fra1', node_pools: [{ plan_id: 'flex-1-1', node_count: 1 }] },
      {},
      ['/configuration/node_pools/0/plan_id incompatible'],
    ],
    [
      'kubernetes_cluster',
      {
        region: 'fra1',
        node_pools: [{ ...pool, autoscaling: { enabled: true, min_nodes: 5, max_nodes: 4 } }],
      },
      {},
      ['/configuration/node_pools/0/autoscaling/max_nodes out_of_range'],
    ],
    ['node_pool', pool, {}, ['/configuration/region required']],
    ['node_pool', { ...pool, cluster_id: 'kcl_x' }, {}, ['/configuration/cluster_id unknown_reference']],
    [
      'dedicated_server',
      { ...server, site_preferences: ['x'], uplink_option: '5g', os_id: 'dos' },
      {},
      [
        '/configuration/site_preferences/0 unknown_reference',
        '/configuration/uplink_option unknown_reference',
        '/configuration/os_id unknown_reference',
      ],
    ],
    [
      'dedicated_server',
      server,
      { usage: { traffic_out_gb: 1, percentile_95_mbps: 1 } },
      ['/usage/percentile_95_mbps mutually_exclusive'],
    ],
    [
      'address',
      { location: 'fra1', family: 'ipv4', prefix_length: 24 },
      {},
      ['/configuration/prefix_length out_of_range'],
    ],
    ['cross_connect', { site: 'ams1', media: 'coax' }, {}, ['/configuration/media incompatible']],
    [
      'monitor',
      { type: 'uptime', probe: { regions: ['mars'] } },
      {},
      ['/configuration/probe/regions/0 unknown_reference'],
    ],
    ['monitor', { type: 'metric', probe: {} }, {}, ['/configuration/probe incompatible']],
  ])('of %s with faults tells all of them: %j %j', (type, configuration, options, expected) => {
    expect(problems(type, configuration, options)).toEqual(expected);
  });

  it('may point at what the account has', () => {
    const references = {
      backupPolicy: () => ({ keep: 7 }),
      cluster: () => ({ region: 'hel1' }),
      image: () => ({ architecture: 'amd64', min_disk_gb: 20 }),
    };
    const backed = priced('vm', { ...vm, image_id: 'img_1', backup_policy_id: 'bpol_1' }, { references });
    expect(lines(backed)).toContain('vps.backup 8.40');
    expect(lines(priced('node_pool', { ...pool, cluster_id: 'kcl_1' }, { references }))[0]).toBe(
      'vps.flex-2-4 13.60',
    );
    expect(problems('node_pool', { ...pool, cluster_id: 'kcl_1', region: 'fra1' }, { references })).toEqual([
      '/configuration/region location_mismatch',
    ]);
  });
});
