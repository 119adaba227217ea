/**
 * The priced types of the family: clusters and node pools. The price of an autoscaled pool is the price at its minimum
 * size; `range` also gives the price at its maximum size.
 */
import { OneOf, Shape, Slug, type Static, Type } from '../../kernel/schema.ts';
import { type Bill, count } from '../../money/prices/bill.ts';
import { IDENTITY, type PricedTypes, pricedType } from '../../money/prices/priced-type.ts';
import type { Plan } from '../../provider/catalogue.ts';
import type { Draft } from '../../provider/draft.ts';
import { namedSales, type Sale, soldIn } from '../../provider/sale.ts';
import {
  chargeMachine,
  chargeTraffic,
  checkDisk,
  findPlan,
  LARGEST_DISK_GB,
} from '../flexible-vps/offers.ts';

const NODES_PER_POOL = 100;
const Nodes = Type.Integer({ minimum: 0, maximum: NODES_PER_POOL });

const pool = {
  plan_id: Slug,
  node_count: Type.Optional(Nodes),
  autoscaling: Type.Optional(
    Shape({ enabled: Type.Boolean(), min_nodes: Type.Optional(Nodes), max_nodes: Type.Optional(Nodes) }),
  ),
  disk_gb: Type.Optional(
    Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: LARGEST_DISK_GB }),
  ),
  public_ipv4: Type.Optional(Type.Boolean()),
};

const POOL_IDENTITY = [...IDENTITY, 'node_labels', 'taints', 'ssh_key_ids', 'update_strategy'];
const ignoredInPool = Object.fromEntries(POOL_IDENTITY.map((name) => [name, Type.Optional(Type.Unknown())]));

const Pool = Shape(pool);
type Pool = Static<typeof Pool>;

interface Nodes {
  readonly plan: Plan;
  readonly nodes: number;
  readonly diskGb: number;
  readonly publicIpv4: boolean;
}

const perHour = { billing: 'hourly_capped', unit: 'hour' } as const;

function clusterSales(draft: Draft): Sale[] {
  const isSound = draft.isSound('/catalogue/kubernetes/regions');
  const regions = isSound ? (draft.file.catalogue?.kubernetes?.regions ?? []) : [];
  const tiers = draft.entries('kubernetes/tiers');
  return [
    ...tiers.flatMap(({ path, value }) =>
      soldIn(regions, { path: `${path}/sku`, sku: value.sku, ...perHour }),
    ),
    ...namedSales(regions, perHour, 'k8s.load-balancer'),
  ];
}

const kubernetesCluster = pricedType({
  family: 'kubernetes',
  place: 'region',
  configuration: Shape({
    region: Slug,
    control_plane: Type.Optional(Shape({ tier: Type.Optional(OneOf(['standard', 'ha'])) })),
    node_pools: Type.Optional(Type.Array(Shape({ ...pool, ...ignoredInPool }), { maxItems: 10 })),
  }),
  ignored: [
    ...IDENTITY,
    'version',
    'network',
    'api_allowlist',
    'maintenance_window',
    'auto_upgrade',
    'autoscaler',
    'addons',
    'deletion_protection',
  ],
  usage: ['load_balancers', 'volume_gb', 'traffic_out_gb'],
  sales: clusterSales,
  draw(configuration, bill) {
    const region = findRegion(bill, configuration.region, '/region');
    const tierSlug = configuration.control_plane?.tier ?? 'standard';
    const { tiers } = bill.book.catalogue.kubernetes;
    const tier = tiers.find(({ slug }) => slug === tierSlug);
    if (!tier)
      bill.unknown(
        '/control_plane/tier',
        'tier',
        tierSlug,
        tiers.map(({ slug }) => slug),
      );
    const pools = (configuration.node_pools ?? []).map((each, index) =>
      readPool(bill, each, region, `/node_pools/${index}`),
    );
    const found = pools.filter((each) => each !== undefined);
    if (!bill.sound || !region || !tier) return;

    bill.charge(tier.sku, region, { description: `Control plane ${tier.slug}, ${region}`, each: count(1) });
    for (const each of found) chargePool(bill, region, each);
    bill.chargeUsage('load_balancers', 'k8s.load-balancer', region, { noun: 'Load balancers', unit: '' });
    const volumes = bill.book.catalogue.volume_tiers[0];
    if (volumes) bill.chargeUsage('volume_gb', volumes.sku, region, { noun: 'Volumes', unit: 'GB' });
    chargeTraffic(bill, region, trafficOf(found));
    bill.demand('kubernetes.clusters', 1);
    bill.demand(
      'kubernetes.nodes-per-cluster',
      found.reduce((total, each) => total + each.nodes, 0),
    );
  },
});

const nodePool = pricedType({
  family: 'kubernetes',
  place: 'region',
  configuration: Shape({
    ...pool,
    cluster_id: Type.Optional(Type.String({ minLength: 1, maxLength: 90 })),
    region: Type.Optional(Slug),
  }),
  ignored: POOL_IDENTITY,
  // Its nodes are charged as machines of their plan, which Flexible VPS sells.
  sales: () => [],
  draw(configuration, bill) {
    const region = regionOf(configuration.cluster_id, configuration.region, bill);
    const nodes = readPool(bill, configuration, region, '');
    if (!bill.sound || !region || !nodes) return;
    chargePool(bill, region, nodes);
    if (nodes.nodes === 0) bill.assumptions.add('A pool without nodes costs nothing');
  },
});

export const kubernetesPrices: PricedTypes = { kubernetes_cluster: kubernetesCluster, node_pool: nodePool };

function regionOf(clusterId: string | undefined, region: string | undefined, bill: Bill): string | undefined {
  if (clusterId === undefined) {
    if (region !== undefined) return findRegion(bill, region, '/region');
    bill.fail('/region', 'required', 'Give region, or cluster_id of the cluster the pool is for.');
    return undefined;
  }
  const cluster = bill.terms.references.cluster(clusterId);
  if (!cluster) bill.fail('/cluster_id', 'unknown_reference', 'There is no such cluster in this account.');
  else if (region !== undefined && region !== cluster.region) {
    bill.fail('/region', 'location_mismatch', `The cluster is in ${cluster.region}.`);
  }
  return cluster?.region;
}

function findRegion(bill: Bill, slug: string, pointer: string): string | undefined {
  const location = bill.location(slug, pointer);
  if (location && !bill.book.catalogue.kubernetes.regions.includes(slug)) {
    bill.unavailable(`Kubernetes is not sold in ${slug}.`, pointer);
  }
  return location?.slug;
}

function readPool(bill: Bill, each: Pool, region: string | undefined, at: string): Nodes | undefined {
  const plan = findPlan(bill, each.plan_id, region, `${at}/plan_id`);
  const nodes = countNodes(bill, each, at);
  if (!plan) return undefined;
  if (!bill.book.catalogue.kubernetes.node_plans.includes(plan.slug)) {
    bill.fail(`${at}/plan_id`, 'incompatible', `Plan ${plan.slug} is not offered for nodes.`);
  }
  const diskGb = each.disk_gb ?? plan.disk_gb;
  checkDisk(bill, plan, diskGb, `${at}/disk_gb`);
  return { plan, nodes, diskGb, publicIpv4: each.public_ipv4 ?? true };
}

function countNodes(bill: Bill, { autoscaling, node_count }: Pool, at: string): number {
  if (!autoscaling?.enabled) {
    if (node_count === undefined) {
      bill.fail(`${at}/node_count`, 'required', 'Give node_count, or autoscaling with its bounds.');
    }
    return node_count ?? 0;
  }
  const { min_nodes, max_nodes } = autoscaling;
  if (min_nodes === undefined) bill.fail(`${at}/autoscaling/min_nodes`, 'required', 'Give the lower bound.');
  if (max_nodes === undefined) bill.fail(`${at}/autoscaling/max_nodes`, 'required', 'Give the upper bound.');
  const min = min_nodes ?? 0;
  const max = max_nodes ?? min;
  if (max < min || max < 1) {
    const detail = `Must be at least min_nodes (${min}) and at least 1.`;
    bill.fail(`${at}/autoscaling/max_nodes`, 'out_of_range', detail);
  }
  bill.autoscaled = true;
  bill.assumptions.add('Autoscaled pools at their minimum; range gives the maximum');
  return bill.terms.scale === 'min' ? min : max;
}

function chargePool(bill: Bill, region: string, { plan, nodes, diskGb, publicIpv4 }: Nodes): void {
  if (nodes === 0) return;
  const machine = { location: region, plan, diskGb, machines: nodes, publicIpv4, heldWhileStopped: false };
  chargeMachine(bill, machine);
}

/** The included traffic of a cluster is the sum of what the plans of its nodes include. */
function trafficOf(pools: readonly Nodes[]): number {
  return pools.reduce((total, { plan, nodes }) => total + plan.traffic_gb_per_month * nodes, 0);
}
