/** Whole playbooks to begin with. Each is there if the document has all resources that it uses. */
import type { IacModel } from '../model.ts';
import { COLLECTION } from './role.ts';

interface Playbook {
  readonly name: string;
  readonly uses: readonly string[];
  /** The variables that the user has to set. */
  readonly needs: readonly string[];
  readonly text: string;
}

const role = (name: string): string => `${COLLECTION}.${name}`;

const playbooks: readonly Playbook[] = [
  {
    name: 'web-machine',
    uses: ['vm', 'network', 'ssh_key', 'interface', 'snapshot'],
    needs: ['location', 'plan', 'image', 'public_key'],
    text: `\
- name: A web machine with a private network, an SSH key and a snapshot of its first state
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
    uses: ['vm', 'placement_group', 'ssh_key'],
    needs: ['location', 'plan', 'image', 'public_key'],
    text: `\
- name: Several machines of the same kind, which run on different hosts
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
    uses: ['budget', 'webhook'],
    needs: ['url'],
    text: `\
- name: A monthly budget for the account, and a webhook that tells when it runs out
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

const usage = ({ name, needs }: Playbook): string =>
  `# ansible-playbook playbooks/${name}.yml -e @settings.yml\n# settings.yml sets: ${needs.join(', ')}.\n`;

export function usablePlaybooks({ resources }: IacModel): Playbook[] {
  const known = new Set(resources.map(({ name }) => name));
  return playbooks.filter(({ uses }) => uses.every((name) => known.has(name)));
}

export function playbookFiles(model: IacModel): Record<string, string> {
  return Object.fromEntries(
    usablePlaybooks(model).map((playbook) => [`playbooks/${playbook.name}.yml`, `${usage(playbook)}${playbook.text}`]),
  );
}
