/** The scenarios as playbooks that use the roles. */
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { keyText, tableOf } from '../readme.ts';
import { permissionsFor, type Scenario, type ScenarioName, scenarioPart, scenariosOf } from '../scenarios.ts';
import type { DetailsOf } from './details.ts';
import { COLLECTION } from './role.ts';
import { yamlOf } from './yaml.ts';

interface Setting {
  readonly meaning: string;
  /** A value to begin with. */
  readonly example: (resource: (name: string) => ManagedResource) => unknown;
}

interface Playbook {
  /** The variables that the user has to set. */
  readonly settings: Readonly<Record<string, Setting>>;
  readonly tasks: string;
}

const machineSettings: Playbook['settings'] = {
  location: {
    meaning: 'The slug of a location, such as `fra1`.',
    example: (resource) => resource('vm').example['location'],
  },
  plan: {
    meaning: 'The slug of a plan, which is the size of the machine.',
    example: (resource) => resource('vm').example['plan'],
  },
  image: {
    meaning: 'The id of the image that the disk is made from.',
    example: (resource) => (resource('vm').example['source'] as { image_id?: string })?.image_id,
  },
  public_key: {
    meaning: 'Your public SSH key, such as the text of `~/.ssh/id_ed25519.pub`.',
    example: () => 'ssh-ed25519 AAAA… you@example.com',
  },
};

const role = (name: string): string => `${COLLECTION}.${name}`;

const playbooks: Readonly<Record<ScenarioName, Playbook>> = {
  'web-machine': {
    settings: machineSettings,
    tasks: `\
- name: A web machine
  hosts: localhost
  connection: local
  gather_facts: false
  vars:
    machine: web
  roles:
    - role: ${role('ssh_key')}
      ssh_key_name: "{{ machine }}"
      ssh_key_public_key: "{{ public_key }}"
    - role: ${role('network')}
      network_name: "{{ machine }}"
      network_location: "{{ location }}"
      network_ipv4_cidr: 10.10.0.0/24
    - role: ${role('vm')}
      vm_name: "{{ machine }}"
      vm_location: "{{ location }}"
      vm_plan: "{{ plan }}"
      vm_source: { type: image, image_id: "{{ image }}" }
      vm_ssh_key_ids: ["{{ ssh_key_result.id }}"]
    - role: ${role('interface')}
      interface_vm_id: "{{ vm_result.id }}"
      interface_network_id: "{{ network_result.id }}"
    - role: ${role('snapshot')}
      snapshot_vm_id: "{{ vm_result.id }}"
      snapshot_name: first
  tasks:
    - name: Show the address
      ansible.builtin.debug:
        msg: "{{ vm_result.primary_ipv4 | default('known after the run') }}"
`,
  },
  fleet: {
    settings: machineSettings,
    tasks: `\
- name: A fleet
  hosts: localhost
  connection: local
  gather_facts: false
  vars:
    fleet: fleet
    machines: 3
  roles:
    - role: ${role('ssh_key')}
      ssh_key_name: "{{ fleet }}"
      ssh_key_public_key: "{{ public_key }}"
    - role: ${role('placement_group')}
      placement_group_name: "{{ fleet }}"
      placement_group_location: "{{ location }}"
      placement_group_policy: spread
  tasks:
    - name: Bring the machines to the wanted state
      ansible.builtin.include_role:
        name: ${role('vm')}
      vars:
        vm_name: "{{ fleet }}-{{ number }}"
        vm_location: "{{ location }}"
        vm_plan: "{{ plan }}"
        vm_source: { type: image, image_id: "{{ image }}" }
        vm_ssh_key_ids: ["{{ ssh_key_result.id }}"]
        vm_placement_group_id: "{{ placement_group_result.id }}"
      loop: "{{ range(1, machines | int + 1) }}"
      loop_control:
        loop_var: number
`,
  },
  'budget-alarm': {
    settings: {
      url: {
        meaning: 'The address that is called. It must be reachable from the API.',
        example: (resource) => resource('webhook').example['url'],
      },
    },
    tasks: `\
- name: A budget with an alarm
  hosts: localhost
  connection: local
  gather_facts: false
  vars:
    alarm: alarm
    amount: "100.00"
  roles:
    - role: ${role('webhook')}
      webhook_name: "{{ alarm }}"
      webhook_url: "{{ url }}"
      webhook_event_types: [budget.*]
    - role: ${role('budget')}
      budget_name: "{{ alarm }}"
      budget_amount: "{{ amount }}"
      budget_thresholds:
        - percent: 80
        - percent: 100
          basis: forecast
`,
  },
};

function readme(
  { name, title, text, uses }: Scenario,
  permissions: readonly string[],
  { baseUrl }: IacModel,
  hash: string,
): string {
  const facts = uses.map((each) => `\`${each.name}_result\``);
  return `# ${title}

${text} It is a playbook that uses the roles of the collection \`${COLLECTION}\`.

Made from the specification \`${hash}\` of ${baseUrl}.

\`\`\`sh
cd ansible/playbooks/${name}
export HOSTPLANE_URL=${baseUrl}
export HOSTPLANE_API_KEY=…
ansible-playbook playbook.yml -e @settings.yml --check --diff
ansible-playbook playbook.yml -e @settings.yml
\`\`\`

The collection has to be installed first, as its README says. The first line with \`--check\` shows what would be created.

## Inputs

Change \`settings.yml\` before:

${tableOf(
  ['setting', 'meaning'],
  Object.entries(playbooks[name].settings).map(([setting, { meaning }]) => [`\`${setting}\``, meaning]),
)}

The names and numbers under \`vars\` in \`playbook.yml\` can be set in the same file.

## Outputs

The facts ${facts.join(', ')}: each is what the API shows about the resource.

## Permissions

${keyText('it', baseUrl, permissions)}

## Adopt what exists

A resource that has the name in the playbook is used instead of a new one. There is no state to import; \`--check --diff\` shows what would be changed.
`;
}

export function playbookFiles(model: IacModel, detailsOf: DetailsOf, hash: string): Record<string, string> {
  const resource = (name: string) => model.resources.find((each) => each.name === name)!;
  return Object.fromEntries(
    scenariosOf(model).flatMap((scenario) => {
      const folder = `playbooks/${scenario.name}`;
      const { tasks, settings } = playbooks[scenario.name];
      const examples = Object.entries(settings).map(([name, { example }]) => [name, example(resource)]);
      const permissions = permissionsFor(scenario, (each) => detailsOf(each).permissions);
      return [
        [`${folder}/README.md`, readme(scenario, permissions, model, hash)],
        [`${folder}/playbook.yml`, tasks],
        [`${folder}/settings.yml`, yamlOf(Object.fromEntries(examples))],
      ];
    }),
  );
}

export const playbookParts = (model: IacModel, detailsOf: DetailsOf): Part[] =>
  scenariosOf(model).map((scenario) => {
    const permissions = permissionsFor(scenario, (each) => detailsOf(each).permissions);
    return scenarioPart('ansible', 'ansible/playbooks', scenario, permissions);
  });
