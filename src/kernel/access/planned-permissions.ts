/**
 * The permissions of the contract that no endpoint requires yet. Keys may have them already: they work as soon as
 * their endpoints are built. An endpoint that is built takes its permission from this list; a test of `src/laws/`
 * checks that the list and the registry together are the permissions of the contract.
 */
import type { Permission, Verb } from './permissions.ts';

const planned: Readonly<Record<string, Readonly<Record<string, readonly Verb[]>>>> = {
  kubernetes: {
    options: ['read'],
    clusters: ['read', 'write', 'delete'],
    kubeconfigs: ['write'],
    'credential-rotations': ['write'],
    events: ['read'],
    upgrades: ['read', 'write', 'delete'],
    'node-pools': ['read', 'write', 'delete'],
    nodes: ['read', 'write', 'delete'],
    addons: ['read', 'write'],
  },
  dedicated: {
    servers: ['read', 'write'],
    power: ['write'],
    reinstalls: ['read', 'write', 'delete'],
    rescue: ['write', 'delete'],
    console: ['write'],
    ips: ['read', 'write'],
    traffic: ['read'],
    uplinks: ['read', 'write'],
    cancellations: ['read', 'write', 'delete'],
    catalogue: ['read'],
    orders: ['read', 'write'],
  },
  storage: {
    regions: ['read'],
    buckets: ['read', 'write', 'delete'],
    'bucket-policies': ['write'],
    'bucket-cors': ['write'],
    'bucket-lifecycles': ['write'],
    usage: ['read'],
    'access-keys': ['read', 'write', 'delete'],
  },
  datacenter: {
    sites: ['read'],
    racks: ['read'],
    readings: ['read'],
    assets: ['read', 'write'],
    'cross-connects': ['read', 'write', 'delete'],
    requests: ['read', 'write'],
    'remote-hands': ['write'],
    visits: ['write'],
    shipments: ['write'],
    notices: ['read'],
    'network-status': ['read'],
  },
  'ip-management': {
    addresses: ['read', 'write', 'delete'],
    assignments: ['write'],
    'reverse-records': ['read', 'write'],
  },
  monitoring: {
    metrics: ['read'],
    monitors: ['read', 'write', 'delete'],
    alerts: ['read'],
    'notification-channels': ['read', 'write', 'delete'],
  },
  support: {
    tickets: ['read', 'write'],
    messages: ['read', 'write'],
  },
};

export const plannedPermissions: readonly Permission[] = Object.entries(planned).flatMap(
  ([family, resources]) =>
    Object.entries(resources).flatMap(([resource, verbs]) =>
      verbs.map((verb): Permission => `${family}:${resource}:${verb}`),
    ),
);
