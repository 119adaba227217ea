import type { OperationView } from '../../../kernel/operations/schema.ts';
import type { Network, NewNetwork } from './schema.ts';

const ID = 'net_01jqzv2m7xe9rs5d3k8w4t6y0b';
const AT = '2026-03-01T10:00:00.000Z';

export const newNetworkExample: NewNetwork = {
  name: 'backend',
  location: 'fra1',
  ipv4_cidr: '10.10.0.0/24',
  labels: { env: 'prod' },
};

export const networkExample: Network = {
  id: ID,
  name: 'backend',
  description: '',
  labels: { env: 'prod' },
  status: 'active',
  status_reason: null,
  operation: null,
  location: 'fra1',
  ipv4_cidr: '10.10.0.0/24',
  ipv4_gateway: '10.10.0.1',
  ipv6_cidr: 'fd3f:91c2:77a0:1b::/64',
  nat: { ipv4: true, ipv6: false },
  dns: { servers: [], domain: null },
  mtu: 1442,
  routes: [],
  addresses: { ipv4_total: 252, ipv4_used: 1 },
  protection: { delete: false },
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: AT,
  provisioned_at: '2026-03-01T10:00:05.000Z',
  updated_at: AT,
};

export function operationExample(verb: 'create' | 'update' | 'delete'): OperationView {
  const id = 'op_01jqzv2m7xe9rs5d3k8w4t6y0b';
  return {
    id,
    type: `network.${verb}`,
    family: 'flexible-vps',
    status: 'queued',
    done: false,
    progress_percent: null,
    step: '',
    waiting_for: null,
    resource: { type: 'network', id: ID, name: 'backend' },
    related: [],
    warnings: [],
    cancellable: true,
    parent_id: null,
    children: null,
    error: null,
    result: null,
    actor: { kind: 'api_key', api_key_id: 'key_01jqzv2m7xe9rs5d3k8w4t6y0b', member_id: null },
    request_id: 'req_01jqzv2m7xe9rs5d3k8w4t6y0b',
    expected_seconds: 5,
    deadline_at: '2026-03-01T10:10:00.000Z',
    created_at: AT,
    updated_at: AT,
    started_at: null,
    finished_at: null,
    href: `https://api.host.example/account/v1/operations/${id}`,
    etag: 'queued.0.m7pz8k00',
  };
}
