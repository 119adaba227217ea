/** The variables and templates of the role `shared`: what was asked for, what differs, and what is sent. */

const defaults = (baseUrl: string) => `\
hostplane_url: "{{ lookup('ansible.builtin.env', 'HOSTPLANE_URL') or '${baseUrl}' }}"
# How long one request may wait for the end of what it started, 0 to 60. Less for a proxy that cuts long requests.
hostplane_wait_seconds: 60
`;

const vars = `\
# Stands for the id of what does not exist yet, in check mode.
hostplane_unknown: (known after the run)

hostplane_prefer: "{{ 'wait=' ~ hostplane_wait_seconds if hostplane_wait_seconds | int > 0 else 'respond-async' }}"

# The first request. Tasks that make another one set their own.
hostplane_method: GET
hostplane_path: "{{ hostplane_read }}"
# The tasks that make the request again.
hostplane_again: main

# Values that a loop uses are named before it: Ansible would work them out again in each turn.

# The inputs that were set, with the types of the API: Ansible makes texts of numbers.
hostplane_asked: >-
  {%- set asked = {} -%}
  {%- set types = hostplane_types -%}
  {%- set left_out = omit -%}
  {%- for name, value in hostplane_given.items() if value is not none and value != left_out -%}
  {%- set type = types[name] -%}
  {%- set _ = asked.update({name: value | string if type == 'string' else value | int if type == 'integer'
      else value | bool if type == 'boolean' else value}) -%}
  {%- endfor -%}
  {{ asked }}

# The same without what no answer shows inside of objects, such as the address that an image was downloaded from.
hostplane_comparable: >-
  {%- set comparable = {} -%}
  {%- set compared = hostplane_compared -%}
  {%- for name, value in hostplane_asked.items() -%}
  {%- set by = compared[name].by | default('') -%}
  {%- set _ = comparable.update({name: value | dict2items
      | selectattr('key', 'in', compared[name].members[value[by] | default('')] | default([])) | items2dict
      if name in compared else value}) -%}
  {%- endfor -%}
  {{ comparable }}

# The resource in the last answer: the answer itself, or an item of a list in it. Without a request there is none.
hostplane_picked: >-
  {{ {} if hostplane_call.status | default(0) not in [200, 201, 202]
     else hostplane_call.json if hostplane_pick.in not in hostplane_call.json
     else hostplane_call.json[hostplane_pick.in] | selectattr(hostplane_pick.key, 'equalto', hostplane_pick.value)
     | first | default({}) }}

# The resource before it is changed.
hostplane_base: "{{ hostplane_found }}"

# Which tasks follow on an answer.
hostplane_next: >-
  {{ 'nothing' if hostplane_call.status is not defined
     else 'nothing' if hostplane_call.status == 404 and (hostplane_state == 'absent' or hostplane_method == 'DELETE')
     else 'problem' if hostplane_call.status not in [200, 201, 202, 204]
     else 'wait' if hostplane_call.status == 202
     else 'busy' if hostplane_again == 'main' and (hostplane_picked.operation | default(none)) is not none
     else 'nothing' }}

# What --diff shows.
hostplane_shown: >-
  {{ hostplane_comparable
     | combine(dict.fromkeys(hostplane_hidden | intersect(hostplane_asked.keys() | list), '(hidden)')) }}
hostplane_before: >-
  {{ {} if hostplane_plan.action == 'create'
     else hostplane_current | dict2items | rejectattr('key', 'in', hostplane_hidden)
     | selectattr('key', 'in', hostplane_plan.differences) | items2dict if hostplane_plan.action == 'update'
     else hostplane_found | dict2items | selectattr('key', 'in', ['id', 'name', 'status']) | items2dict }}
hostplane_after: >-
  {%- set after = hostplane_shown | dict2items | selectattr('key', 'in', hostplane_plan.differences) | items2dict -%}
  {{ {} if hostplane_plan.action == 'delete'
     else hostplane_shown if hostplane_plan.action != 'update'
     else hostplane_before | combine(after, recursive=true)
     | combine(after | dict2items | selectattr('key', 'in', hostplane_maps) | items2dict) }}

hostplane_problem: >-
  {%- set problem = hostplane_call.json | default({}) -%}
  {{ hostplane_method }} {{ hostplane_path }}: {{ hostplane_call.status }}
  {{ problem.code | default('') }} {{ problem.detail | default(hostplane_call.msg | default('')) }}
  {%- for error in problem.errors | default([]) %} {{ error.pointer | default(error.parameter) | default('') }}:
  {{ error.detail | default('') }}{% endfor %}
  {{ problem.next_step | default('Check the URL in HOSTPLANE_URL and that the API can be reached.') }}
  {% if not lookup('ansible.builtin.env', 'HOSTPLANE_API_KEY') %}The environment variable HOSTPLANE_API_KEY is not set. {% endif %}
  {% if problem.request_id is defined %}(request {{ problem.request_id }}){% endif %}
`;

const plan = `\
{# What there is to do, without any values: they can be secret. #}
{% macro differs(asked, current, loose) %}
{%- if asked is mapping -%}
  {%- for key, value in asked.items() %}{{ differs(value, (current or {})[key] | default(none), loose) }}{% endfor -%}
{%- elif asked is iterable and asked is not string -%}
  {%- if loose -%}
    {%- for value in asked -%}
      {%- set match = namespace(found=false) -%}
      {%- for each in current or [] if not differs(value, each, loose) %}{% set match.found = true %}{% endfor -%}
      {%- if not match.found %}x{% endif -%}
    {%- endfor -%}
  {%- elif current is string or current is not iterable or current | length != asked | length -%}x
  {%- else -%}
    {%- for value in asked %}{{ differs(value, current[loop.index0], loose) }}{% endfor -%}
  {%- endif -%}
{%- elif loose and current is iterable and current is not string and current is not mapping -%}
  {%- if asked not in current %}x{% endif -%}
{%- elif asked != current -%}x
{%- endif -%}
{% endmacro %}
{% if hostplane_next != 'nothing' %}
{{ {'action': 'none', 'differences': [], 'next': hostplane_next} | to_json }}
{% else %}
{% set asked = hostplane_asked %}
{% set found = hostplane_base %}
{% set current = hostplane_current %}
{% set hashed, maps, decimals, loose = hostplane_hashed, hostplane_maps, hostplane_decimals, hostplane_loose %}
{% set differences = [] %}
{% for name, value in hostplane_comparable.items() if found and name in current %}
{% if name in hashed %}
{% set text = value | b64decode if asked[name ~ '_encoding'] | default('') == 'base64' else value %}
{% set different = text | hash('sha256') != current[name] %}
{% elif name in maps %}
{% set different = value != current[name] %}
{% elif name in decimals %}
{% set different = value | float != current[name] | float %}
{% else %}
{% set different = differs(value, current[name], name in loose) | trim | length > 0 %}
{% endif %}
{% if different %}{% set _ = differences.append(name) %}{% endif %}
{% endfor %}
{# Only what was being created and failed has no "provisioned_at": nothing usable exists. #}
{% set broken = found.provisioned_at is defined and found.provisioned_at is none %}
{% set fixed = differences | difference(hostplane_changeable) %}
{% set missing = hostplane_required | difference(asked.keys() | list) %}
{% if hostplane_state == 'absent' %}
{% set action = 'delete' if found else 'none' %}
{% elif not found %}
{% set action = 'create' %}
{% elif broken or fixed %}
{% set action = 'replace' %}
{% else %}
{% set action = 'update' if differences else 'none' %}
{% endif %}
{% set title = hostplane_type ~ ' ' ~ hostplane_title %}
{% if not hostplane_is_named | bool %}
{% set refusal = 'Set ' ~ hostplane_named_by ~ ', so that the ' ~ hostplane_type ~ ' can be found.' %}
{% elif action in ['create', 'replace'] and missing %}
{% set refusal = 'To create ' ~ title ~ ', set ' ~ missing | map('regex_replace', '^', hostplane_type ~ '_') | join(', ') ~ '.' %}
{% elif action == 'replace' and not broken and not hostplane_replace | bool %}
{% set refusal = title ~ ' differs in ' ~ fixed | map('regex_replace', '^', hostplane_type ~ '_') | join(', ')
    ~ ', which cannot be changed. Set the value that it has, or set ' ~ hostplane_type
    ~ '_replace to true: then it is deleted with all that is in it, and created again.' %}
{% else %}
{% set refusal = '' %}
{% endif %}
{% set next = 'refuse' if refusal else 'nothing' if action == 'none' else 'replace' if action == 'replace' else 'change' %}
{# The update does not take what an action of its own changes. #}
{% set actions = differences | intersect(hostplane_actions.keys() | list) if action == 'update' else [] %}
{% set writes = action != 'update' or differences | difference(actions) | length > 0 %}
{{ {'action': action, 'differences': differences, 'actions': actions, 'writes': writes, 'refusal': refusal, 'next': next}
   | to_json }}
{% endif %}
`;

const body = `\
{# The body of a request: all that was asked for, or only what differs. #}
{% set asked = hostplane_asked %}
{% set current = hostplane_current %}
{% set maps, companions, excluded_by = hostplane_maps, hostplane_companions, hostplane_excluded_by %}
{% set differences = hostplane_plan.differences %}
{% set body = {} %}
{% if hostplane_write == 'create' %}
{% set _ = body.update(asked) %}
{% elif hostplane_member is defined and hostplane_write == 'change_' ~ hostplane_member %}
{% set _ = body.update(hostplane_actions[hostplane_member]) %}
{% set _ = body.update({hostplane_member: asked[hostplane_member]}) %}
{% elif hostplane_method == 'PATCH' %}
{% for name, value in asked.items() if name not in hostplane_actions %}
{% if name in differences and name in maps %}
{# Null removes a label that was not asked for. #}
{% set _ = body.update({name: dict.fromkeys(current[name] or {}) | combine(value)}) %}
{% elif name in differences or companions[name] | default('') in differences %}
{% set _ = body.update({name: value}) %}
{% endif %}
{% endfor %}
{% else %}
{# PUT replaces the whole resource, so what was not asked for is sent as it is. #}
{% for name, value in current.items() if value is not none and excluded_by[name] | default('') not in asked %}
{% set _ = body.update({name: value}) %}
{% endfor %}
{% set whole = body | combine(asked, recursive=true) %}
{% for name, value in asked.items() if name in maps %}
{% set _ = whole.update({name: value}) %}
{% endfor %}
{% set _ = body.update(whole) %}
{% endif %}
{% for name in hostplane_in_path if name in body %}{% set _ = body.pop(name) %}{% endfor %}
{{ body | to_json }}
`;

/** By path inside the role. */
export const sharedTemplates = (baseUrl: string): Readonly<Record<string, string>> => ({
  'defaults/main.yml': defaults(baseUrl),
  'vars/main.yml': vars,
  'templates/plan.j2': plan,
  'templates/body.j2': body,
});
