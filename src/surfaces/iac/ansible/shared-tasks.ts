/**
 * The tasks of the role `shared`, which all other roles import: read, compare, write. The same for every resource. A task
 * that is skipped costs as much time as one that runs, so the tasks that are seldom needed are included by one task.
 */

/** Moves the lines of a task into a block. */
const inside = (tasks: string): string => tasks.replaceAll(/^(?=.)/gm, '    ');

const request = (name: string): string => `\
# "no_log" hides the whole task, so the key and the secrets are in no output, whatever the verbosity is.
- name: ${name}
  ansible.builtin.uri:
    url: "{{ hostplane_url }}{{ hostplane_path }}"
    method: "{{ hostplane_method }}"
    headers: >-
      {{ {'X-API-Key': lookup('ansible.builtin.env', 'HOSTPLANE_API_KEY')}
         | combine({} if hostplane_method == 'GET' else hostplane_calls[hostplane_write].headers) }}
    body_format: "{{ 'json' if hostplane_method in ['POST', 'PUT', 'PATCH'] else 'raw' }}"
    body: >-
      {{ lookup('ansible.builtin.template', 'body.j2', convert_data=false) | from_json if hostplane_method in ['POST', 'PUT', 'PATCH'] else omit }}
    timeout: "{{ hostplane_wait_seconds | int + 15 }}"
  register: hostplane_call
  until: hostplane_call.status != -1 or hostplane_call.attempts == 3
  retries: 3
  delay: 2
  failed_when: false
  changed_when: false
  check_mode: false
  no_log: true
`;

/** Ansible cannot import tasks into a file whose name is a template, so each file that makes a request has all of it. */
const call = `\
${request('Send {{ hostplane_method }} {{ hostplane_path }}')}
- name: Wait for its end, or report a problem
  ansible.builtin.include_tasks:
    file: "{{ hostplane_next }}.yml"
  when: hostplane_next != 'nothing'
`;

const write = (what: string, when = ''): string => `\
- name: Write {{ hostplane_type }} {{ hostplane_title }}
  vars:
    hostplane_again: call
    hostplane_write: "${what}"
    hostplane_method: "{{ hostplane_calls[hostplane_write].method }}"
    hostplane_path: "{{ hostplane_calls[hostplane_write].path }}"
  when: not ansible_check_mode${when}
  block:
${inside(call)}`;

const main = `\
# The other roles import this one. It reads the resource, compares it with what was asked for, and changes what differs.
- name: Find out what there is
  when: hostplane_is_named | bool and hostplane_unknown not in hostplane_read
  block:
${inside(request('Read {{ hostplane_type }} {{ hostplane_title }}'))}
- name: Compare {{ hostplane_type }} {{ hostplane_title }} with what was asked for
  ansible.builtin.set_fact:
    hostplane_found: "{{ hostplane_picked }}"
    hostplane_plan: "{{ lookup('ansible.builtin.template', 'plan.j2', convert_data=false) | from_json }}"
    hostplane_once: "ansible-{{ (10 ** 30) | random }}"
    "{{ hostplane_type }}_result": "{{ hostplane_picked }}"
  vars:
    hostplane_base: "{{ hostplane_picked }}"

- name: Change {{ hostplane_type }} {{ hostplane_title }} if it differs
  ansible.builtin.include_tasks:
    file: "{{ hostplane_plan.next }}.yml"
  when: hostplane_plan.next != 'nothing'
`;

const refuse = `\
- name: Refuse to {{ hostplane_plan.action }} {{ hostplane_type }} {{ hostplane_title }}
  ansible.builtin.fail:
    msg: "{{ hostplane_plan.refusal }}"
`;

const replace = `\
- name: Delete {{ hostplane_type }} {{ hostplane_title }} before it is created again
  ansible.builtin.include_tasks: delete.yml

- name: Create {{ hostplane_type }} {{ hostplane_title }} again
  ansible.builtin.include_tasks: change.yml
`;

const change = `\
${write("{{ 'create' if hostplane_plan.action == 'replace' else hostplane_plan.action }}", ' and hostplane_plan.writes')}
- name: Change what has an action of its own
  ansible.builtin.include_tasks: act.yml
  loop: "{{ hostplane_plan.actions }}"
  loop_control:
    loop_var: hostplane_member

# The first answer can have a password or a secret.
- name: Keep {{ hostplane_type }} {{ hostplane_title }} in {{ hostplane_type }}_result
  ansible.builtin.set_fact:
    "{{ hostplane_type }}_result": >-
      {{ {} if hostplane_plan.action == 'delete'
         else hostplane_picked if not ansible_check_mode
         else {'id': hostplane_unknown} | combine(hostplane_shown) if hostplane_plan.action != 'update'
         else hostplane_found | combine(hostplane_shown) }}
  no_log: true

# Of the tasks here, this one reports the change. With --diff, Ansible shows a result named "diff" as a difference.
- name: "{{ hostplane_plan.action | capitalize }} {{ hostplane_type }} {{ hostplane_title }}"
  ansible.builtin.debug:
    var: diff
  vars:
    diff:
      before_header: "{{ hostplane_type }} {{ hostplane_title }}"
      after_header: "{{ hostplane_type }} {{ hostplane_title }}"
      before: "{{ hostplane_before | to_nice_yaml if hostplane_before else '' }}"
      after: "{{ hostplane_after | to_nice_yaml if hostplane_after else '' }}"
  changed_when: true
`;

const wait = `\
- name: Wait for operation {{ hostplane_call.json.operation.id }}
  ansible.builtin.include_tasks: operation.yml
  vars:
    hostplane_operation_id: "{{ hostplane_call.json.operation.id }}"

- name: Report that the operation failed
  ansible.builtin.fail:
    msg: >-
      {{ hostplane_type }} {{ hostplane_title }}: the operation {{ hostplane_operation.json.id | default('') }} has the status
      {{ hostplane_operation.json.status | default('unknown') }}.
      {{ (hostplane_operation.json.error | default({}, true)).code | default('') }}
      {{ (hostplane_operation.json.error | default({}, true)).detail | default('') }}
      Run the playbook again when the cause is gone.
  when: (hostplane_operation.json.status | default('unknown')) != 'succeeded'

- name: Read {{ hostplane_type }} {{ hostplane_title }} again
  ansible.builtin.include_tasks: call.yml
  vars:
    hostplane_method: GET
    hostplane_path: "{{ hostplane_read }}"
  when: hostplane_write != 'delete'
`;

const busy = `\
# An earlier run or somebody else started an operation. Its end decides what there is to do.
- name: Wait for operation {{ hostplane_found.operation.id }}
  ansible.builtin.include_tasks: operation.yml
  vars:
    hostplane_operation_id: "{{ hostplane_found.operation.id }}"

- name: Read {{ hostplane_type }} {{ hostplane_title }} again
  ansible.builtin.include_tasks: main.yml
`;

const operation = (path: string) => `\
- name: Wait for the end of operation {{ hostplane_operation_id }}
  ansible.builtin.uri:
    url: "{{ hostplane_url }}${path}"
    headers:
      X-API-Key: "{{ lookup('ansible.builtin.env', 'HOSTPLANE_API_KEY') }}"
      Prefer: "{{ hostplane_prefer }}"
    timeout: "{{ hostplane_wait_seconds | int + 15 }}"
  register: hostplane_operation
  until: ((hostplane_operation.json | default({})).done | default(false)) or hostplane_operation.attempts == 120
  retries: 120
  delay: 5
  failed_when: false
  changed_when: false
  check_mode: false
  no_log: true
`;

const problem = `\
- name: Report what the API answered to {{ hostplane_method }} {{ hostplane_path }}
  ansible.builtin.fail:
    msg: "{{ hostplane_problem }}"
  when: hostplane_call.status not in [429, 503] or hostplane_waits | default(0) | int >= 30

- name: Wait as long as the API asks for
  ansible.builtin.wait_for:
    timeout: "{{ [hostplane_call.retry_after | default(15) | int, 120] | min }}"
  check_mode: false

- name: Count how often the API asked to wait
  ansible.builtin.set_fact:
    hostplane_waits: "{{ hostplane_waits | default(0) | int + 1 }}"

- name: Send the request again
  ansible.builtin.include_tasks: "{{ hostplane_again }}.yml"
`;

/** By path inside the role. `operationPath` is the path of an operation, with its id as a template. */
export const sharedTasks = (operationPath: string): Readonly<Record<string, string>> => ({
  'tasks/main.yml': main,
  'tasks/refuse.yml': refuse,
  'tasks/replace.yml': replace,
  'tasks/change.yml': change,
  'tasks/act.yml': write('change_{{ hostplane_member }}'),
  'tasks/delete.yml': write('delete'),
  'tasks/wait.yml': wait,
  'tasks/busy.yml': busy,
  'tasks/operation.yml': operation(operationPath),
  'tasks/call.yml': call,
  'tasks/problem.yml': problem,
});
