/** Whole configurations to begin with. Each tool has its own form of each of them. */
import type { ManagedResource } from './managed.ts';
import type { IacModel } from './model.ts';
import type { Part } from './parts.ts';

const scenarios = {
  'web-machine': {
    title: 'A web machine',
    text: 'A machine with a private network, an SSH key and a snapshot of its first state.',
    uses: ['vm', 'network', 'ssh_key', 'interface', 'snapshot'],
  },
  fleet: {
    title: 'A fleet behind a placement group',
    text: 'Several machines of the same kind, which run on different hosts.',
    uses: ['vm', 'placement_group', 'ssh_key'],
  },
  'budget-alarm': {
    title: 'A budget with an alarm',
    text: 'A monthly budget for the account, and a webhook that tells you when it runs out.',
    uses: ['budget', 'webhook'],
  },
} as const;

export type ScenarioName = keyof typeof scenarios;

export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  readonly text: string;
  /** The resources that it makes, in the order of the document. */
  readonly uses: readonly ManagedResource[];
}

/** Those of which the document has all resources. */
export function scenariosOf({ resources }: IacModel): Scenario[] {
  return Object.entries(scenarios).flatMap(([name, { title, text, uses }]) => {
    const used = resources.filter((resource) => (uses as readonly string[]).includes(resource.name));
    return used.length < uses.length ? [] : [{ name: name as ScenarioName, title, text, uses: used }];
  });
}

/** The least that a key needs; `of` says it for one resource. */
export const permissionsFor = (
  { uses }: Scenario,
  of: (resource: ManagedResource) => readonly string[],
): string[] => [...new Set(uses.flatMap(of))].sort();

export const scenarioPart = (
  tool: Part['tool'],
  folder: string,
  { name, title, text }: Scenario,
  permissions: readonly string[],
): Part => ({
  tool,
  kind: 'scenario',
  name,
  title,
  text,
  path: `${folder}/${name}`,
  archive: null,
  permissions,
});
