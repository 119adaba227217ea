/** Whole playbooks to begin with. Each is there if the document has all resources that it uses. */
import type { IacModel, ManagedResource } from '../model.ts';
import type { Part } from '../parts.ts';
import { keyText, tableOf } from '../readme.ts';
import type { Details } from './details.ts';
import { COLLECTION } from './role.ts';
import { yamlOf } from './yaml.ts';

interface Setting {
  readonly meaning: string;
  /** A value to begin with. */
  readonly example: (resource: (name: string) => ManagedResource) => unknown;
}

interface Playbook {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly uses: readonly string[];
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

const playbooks: readonly Playbook[] = [
  {
    name: 'web-machine',
    title: 'A web machine',
    text: 'A machine with a private network, an SSH key and a snapshot of its first state.',
    uses: ['vm', 'network', 'ssh_key', 'interface', 'snapshot'],
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
  {
    name: 'fleet',
    title: 'A fleet behind a placement group',
    text: 'Several machines of the same kind, which run on different hosts.',
    uses: ['vm', 'placement_group', 'ssh_key'],
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
  {
    name: 'budget-alarm',
    title: 'A budget with an alarm',
    text: 'A monthly budget for the account, and a webhook that is called when it runs out.',
    uses: ['budget', 'webhook'],
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
];

type DetailsOf = (resource: ManagedResource) => Details;

function readme(
  { name, title, text, settings }: Playbook,
  permissions: readonly string[],
  { baseUrl }: IacModel,
  hash: string,
): string {
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

The collection has to be installed first, as its README says. The first line with \`--check\` shows what would be created. Change \`settings.yml\` before:

${tableOf(
  ['setting', 'meaning'],
  Object.entries(settings).map(([setting, { meaning }]) => [`\`${setting}\``, meaning]),
)}

The names and numbers under \`vars\` in \`playbook.yml\` can be set in the same file.

## Permissions

${keyText('it', baseUrl, permissions)}
`;
}

const usable = ({ resources }: IacModel): Playbook[] =>
  playbooks.filter(({ uses }) => uses.every((each) => resources.some(({ name }) => name === each)));

const permissionsOf = ({ uses }: Playbook, { resources }: IacModel, detailsOf: DetailsOf): string[] => {
  const used = resources.filter(({ name }) => uses.includes(name));
  return [...new Set(used.flatMap((resource) => detailsOf(resource).permissions))].sort();
};

export function playbookFiles(model: IacModel, detailsOf: DetailsOf, hash: string): Record<string, string> {
  const resource = (name: string) => model.resources.find((each) => each.name === name)!;
  return Object.fromEntries(
    usable(model).flatMap((playbook) => {
      const folder = `playbooks/${playbook.name}`;
      const settings = Object.entries(playbook.settings).map(([name, { example }]) => [
        name,
        example(resource),
      ]);
      const permissions = permissionsOf(playbook, model, detailsOf);
      return [
        [`${folder}/README.md`, readme(playbook, permissions, model, hash)],
        [`${folder}/playbook.yml`, playbook.tasks],
        [`${folder}/settings.yml`, yamlOf(Object.fromEntries(settings))],
      ];
    }),
  );
}

export const playbookParts = (model: IacModel, detailsOf: DetailsOf): Part[] =>
  usable(model).map((playbook): Part => {
    const { name, title, text } = playbook;
    const permissions = permissionsOf(playbook, model, detailsOf);
    const path = `ansible/playbooks/${name}`;
    return { tool: 'ansible', kind: 'scenario', name, title, text, path, archive: null, permissions };
  });
