/**
 * Presets: ready-made permissions for keys. The patterns of a preset are copied into the key when the key is created,
 * so changing a preset changes no existing key.
 */
import { collected, type FamilyPresetName, familyContracts } from '../../contract/families.ts';
import type { FamilyContract, FamilyPreset } from '../../contract/form.ts';
import { productNames } from '../families.ts';
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

const forEveryFamily = {
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
} as const satisfies Readonly<Record<string, Preset>>;

const forAgents = {
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
} as const satisfies Readonly<Record<string, Preset>>;

/** The presets that a family brings, with what other families add to them. */
function presetsOf({ presets: own = {} }: FamilyContract): Record<string, Preset> {
  const complete = ([name, { title, description, patterns, readsProducts }]: [string, FamilyPreset]) => {
    const added = familyContracts.flatMap(({ addsToPresets }) => addsToPresets?.[name] ?? []);
    const reads = readsProducts ? productNames.map((product) => `${product}:*:read`) : [];
    return [name, { title, description, patterns: [...patterns, ...added, ...reads] }] as const;
  };
  return Object.fromEntries(Object.entries(own).map(complete));
}

export type PresetName = keyof typeof forEveryFamily | FamilyPresetName | keyof typeof forAgents;

export const presets = collected<Preset>([
  forEveryFamily,
  ...familyContracts.map(presetsOf),
  forAgents,
]) as Readonly<Record<PresetName, Preset>>;

export const presetNames = Object.keys(presets) as readonly PresetName[];

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
