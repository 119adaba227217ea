/**
 * Ready-made permissions for keys. A preset is a way of writing patterns down, not a thing a key stays bound to:
 * what it stands for is copied into the key when that is made, and changing a preset changes no key.
 */
import { familyNames } from '../families.ts';
import type { Verb } from './permissions.ts';
import { type RoleName, roleAllows } from './roles.ts';
import type { Approval } from './tables.ts';
import type { Vocabulary } from './vocabulary.ts';

interface Preset {
  readonly title: string;
  readonly description: string;
  readonly patterns?: readonly string[];
  /** Every triple with one of these verbs that is not sensitive, as of the moment the key is made. */
  readonly every?: readonly Verb[];
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

const deployNouns = [
  'vms',
  'vm-power',
  'snapshots',
  'images',
  'networks',
  'firewalls',
  'volumes',
  'ssh-keys',
];

export const presets: Readonly<Record<PresetName, Preset>> = {
  'full-access': {
    title: 'Full access',
    description: 'Everything its owner may do, also what is added later.',
    patterns: ['*:*:*'],
  },
  'read-only': {
    title: 'Read only',
    description: 'Reads all there is today, but no credentials.',
    every: ['read'],
  },
  'ci-deploy': {
    title: 'CI deploy',
    description: 'Builds and changes machines, networks and volumes, deletes none.',
    patterns: [
      ...deployNouns.flatMap((noun) => [`flexible-vps:${noun}:read`, `flexible-vps:${noun}:write`]),
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
    description: 'Keeps the reverse names of addresses.',
    patterns: ['ip-management:addresses:read', 'ip-management:reverse-records:*'],
  },
  'backup-job': {
    title: 'Backup job',
    description: 'Makes and lists backups of machines.',
    patterns: ['flexible-vps:vms:read', 'flexible-vps:backups:read', 'flexible-vps:backups:write'],
  },
  'kubernetes-admin': {
    title: 'Kubernetes admin',
    description: 'Everything of Kubernetes.',
    patterns: ['kubernetes:*:*'],
  },
  'object-storage': {
    title: 'Object storage',
    description: 'Everything of object storage.',
    patterns: ['storage:*:*'],
  },
  monitoring: {
    title: 'Monitoring',
    description: 'Everything of monitoring, and reads the products it watches.',
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
    description: 'Reads and writes, deletes nothing, asks before what is destructive, for 7 days.',
    every: ['read', 'write'],
    approval: 'destructive',
    expiresIn: '7d',
  },
};

/** Derived lists hold only what the owner's role allows anyway; written ones are taken as they stand. */
export function presetPatterns(name: PresetName, vocabulary: Vocabulary, role: RoleName): string[] {
  const { patterns = [], every = [] } = presets[name];
  const derived = vocabulary.permissions.filter(
    (permission) =>
      every.some((verb) => permission.endsWith(`:${verb}`)) &&
      !vocabulary.sensitive.has(permission) &&
      roleAllows(role, permission, false),
  );
  return [...patterns, ...derived];
}
