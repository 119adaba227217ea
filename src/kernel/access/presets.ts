/**
 * Presets: ready-made permissions for keys. The patterns of a preset are copied into the key when the key is created,
 * so changing a preset changes no existing key.
 */
import { familyNames } from '../families.ts';
import type { Permission, Verb } from './permissions.ts';
import { type RoleName, roleAllows } from './roles.ts';
import type { Approval } from './tables.ts';
import type { Vocabulary } from './vocabulary.ts';

interface Preset {
  readonly title: string;
  readonly description: string;
  readonly patterns?: readonly string[];
  /** All permissions with one of these verbs that are not sensitive, as of the creation of the key. */
  readonly every?: readonly Verb[];
  /** Permissions that `every` leaves out. */
  readonly except?: readonly Permission[];
  readonly approval?: Approval;
  readonly expiresIn?: '7d';
}

export const presetNames = [
  'full-access',
  'read-only',
  'ci-deploy',
  'power-operator',
  'ip-failover',
  'reverse-dns',
  'backup-job',
  'kubernetes-admin',
  'object-storage',
  'monitoring',
  'support-desk',
  'ai-agent',
] as const;
export type PresetName = (typeof presetNames)[number];

const deployNouns = ['vms', 'snapshots', 'images', 'networks', 'firewalls', 'volumes', 'ssh-keys'];

export const presets: Readonly<Record<PresetName, Preset>> = {
  'full-access': {
    title: 'Full access',
    description: 'Everything its owner may do, including features that are added later.',
    patterns: ['*:*:*'],
  },
  'read-only': {
    title: 'Read only',
    description: 'Reads everything that exists today, except credentials.',
    every: ['read'],
  },
  'ci-deploy': {
    title: 'CI deploy',
    description: 'Creates and changes machines, networks and volumes; cannot delete them.',
    patterns: [
      ...deployNouns.flatMap((noun) => [`flexible-vps:${noun}:read`, `flexible-vps:${noun}:write`]),
      'flexible-vps:vm-power:write',
      'account:pricing:read',
    ],
  },
  'power-operator': {
    title: 'Power operator',
    description: 'Starts, stops and resets machines and dedicated servers.',
    patterns: [
      'flexible-vps:vms:read',
      'flexible-vps:vm-power:write',
      'dedicated:servers:read',
      'dedicated:power:write',
    ],
  },
  'ip-failover': {
    title: 'IP failover',
    description: 'Moves addresses between machines.',
    patterns: ['ip-management:addresses:read', 'ip-management:assignments:write'],
  },
  'reverse-dns': {
    title: 'Reverse DNS',
    description: 'Manages the reverse DNS names of addresses.',
    patterns: ['ip-management:addresses:read', 'ip-management:reverse-records:*'],
  },
  'backup-job': {
    title: 'Backup job',
    description: 'Creates and lists backups of machines.',
    patterns: ['flexible-vps:vms:read', 'flexible-vps:backups:read', 'flexible-vps:backups:write'],
  },
  'kubernetes-admin': {
    title: 'Kubernetes admin',
    description: 'Full access to Kubernetes.',
    patterns: ['kubernetes:*:*'],
  },
  'object-storage': {
    title: 'Object storage',
    description: 'Full access to object storage.',
    patterns: ['storage:*:*'],
  },
  monitoring: {
    title: 'Monitoring',
    description: 'Full access to monitoring, read access to the monitored products.',
    patterns: [
      'monitoring:*:*',
      ...familyNames
        .filter((name) => name !== 'account' && name !== 'monitoring')
        .map((name) => `${name}:*:read`),
    ],
  },
  'support-desk': {
    title: 'Support desk',
    description: 'Opens and answers tickets.',
    patterns: ['support:*:*'],
  },
  'ai-agent': {
    title: 'AI agent, careful',
    description:
      'Reads and writes, but does not delete or change budgets; destructive calls need approval; expires after 7 days.',
    every: ['read', 'write'],
    // Somebody else decides what an agent may spend.
    except: ['account:budgets:write'],
    approval: 'destructive',
    expiresIn: '7d',
  },
};

export const presetMeanings = Object.fromEntries(
  presetNames.map((name) => [name, presets[name].description]),
) as Readonly<Record<PresetName, string>>;

/** Permissions derived from `every` are limited to the owner's role; `patterns` are taken unchanged. */
export function presetPatterns(name: PresetName, vocabulary: Vocabulary, role: RoleName): string[] {
  const { patterns = [], every = [], except = [] } = presets[name];
  const derived = vocabulary.permissions.filter(
    (permission) =>
      every.some((verb) => permission.endsWith(`:${verb}`)) &&
      !vocabulary.sensitive.has(permission) &&
      !except.includes(permission) &&
      roleAllows(role, permission, false),
  );
  return [...patterns, ...derived];
}
