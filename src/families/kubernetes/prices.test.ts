import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced, problemsOf } from '../../testing/tariff.ts';

const pool = { plan_id: 'flex-2-4', node_count: 2 };

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
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
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});

describe('a configuration', () => {
  it.each<[string, Configuration, Options, string[]]>([
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
  ])(
    'of %s is refused with all its faults if it is invalid: %j %j',
    (type, configuration, options, expected) => {
      expect(problemsOf(type, configuration, options)).toEqual(expected);
    },
  );

  it('of a node pool may name a cluster of the account, and gets the region of the cluster', () => {
    const references = {
      backupPolicy: () => null,
      cluster: () => ({ region: 'hel1' }),
      image: () => null,
    };
    const inCluster = { ...pool, cluster_id: 'kcl_1' };
    expect(linesOf(priced('node_pool', inCluster, { references }))[0]).toBe('vps.flex-2-4 13.60');
    expect(problemsOf('node_pool', { ...inCluster, region: 'fra1' }, { references })).toEqual([
      '/configuration/region location_mismatch',
    ]);
  });
});
