/** The role of one resource: it says what the resource is, and the role `shared` does the work. */
import type { Input } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import { comparedIn, currentExpression, isComparable, isShownBesideOthers } from './current.ts';
import type { Details } from './details.ts';
import { roleActions, roleInputs } from './role-inputs.ts';
import { variableOf } from './variables.ts';

export const COLLECTION = 'hostplane.cloud';

const filled = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => `{{ ${values[name] ?? name} }}`);

/** A text whose pattern takes only decimal numbers: `50` and `50.00` are the same. */
function isDecimal({ type, limits: { pattern } }: Input): boolean {
  if (type.kind !== 'string' || pattern === undefined) return false;
  const takes = new RegExp(pattern);
  return takes.test('50') && takes.test('50.00') && !takes.test('x');
}

/** The members of a dictionary as a query string; Jinja writes `True` where the API wants `true`. */
const queryOf = (dictionary: string): string =>
  `{{ '?' if ${dictionary} else '' }}{% for name, value in ${dictionary}.items() %}{{ name }}={{ (value | string | lower if value is boolean else value) | urlencode }}{{ '' if loop.last else '&' }}{% endfor %}`;

const namesOf = (inputs: readonly Input[], test: (input: Input) => boolean): string[] =>
  inputs.filter(test).map(({ name }) => name);

export function tasksOf(resource: ManagedResource, details: Details): unknown[] {
  const { name, parent, isDeclared, key, parameter, create, update, read } = resource;
  const inputs = roleInputs(resource);
  const actions = Object.entries(roleActions(resource));
  const { finding, deleteOptions, excludedBy } = details;
  const variable = (input: string) => variableOf(resource, input);
  const identity = variable(finding.by);
  const parents = parent === undefined ? {} : { [parent.parameter]: variable(parent.input) };
  const own = isDeclared ? variable(key) : `hostplane_found.${key} | default('')`;
  const itemPath = filled(resource.delete.path, { ...parents, [parameter]: `${own} | urlencode` });
  const found =
    filled(finding.path, parents) +
    (finding.isFiltered ? `?${finding.by}={{ ${identity} | default('') | urlencode }}` : '');
  const hasId = key === 'id' && !isDeclared;
  const id = variable('id');
  const byId =
    read.in === undefined ? filled(read.path, { ...parents, [parameter]: id }) : filled(read.path, parents);
  const chosen = (withId: string, without: string): string =>
    hasId ? `{% if ${id} is defined %}${withId}{% else %}${without}{% endif %}` : without;
  const waits = (call: { waits: boolean }) => (call.waits ? { Prefer: '{{ hostplane_prefer }}' } : {});
  return [
    {
      name: `Bring the ${name} to the wanted state`,
      'ansible.builtin.import_role': { name: `${COLLECTION}.shared` },
      vars: {
        hostplane_type: name,
        hostplane_title: `{{ ${hasId ? `${identity} | default(${id} | default(''))` : `${identity} | default('')`} }}`,
        hostplane_named_by: hasId ? `${identity} or ${id}` : identity,
        hostplane_is_named: `{{ ${identity} is defined${hasId ? ` or ${id} is defined` : ''} }}`,
        hostplane_state: `{{ ${variable('state')} }}`,
        hostplane_replace: `{{ ${variable('replace')} }}`,
        hostplane_read: chosen(byId, found),
        hostplane_pick: {
          in: finding.in,
          key: chosen('id', finding.by),
          value: chosen(`{{ ${id} }}`, `{{ ${identity} | default('') }}`),
        },
        hostplane_given: `{{ {${inputs.map((input) => `'${input.name}': ${variable(input.name)} | default(omit)`).join(',\n    ')}} }}`,
        hostplane_current: currentExpression(inputs),
        hostplane_types: Object.fromEntries(inputs.map((input) => [input.name, input.type.kind])),
        hostplane_required: namesOf(inputs, ({ required }) => required),
        hostplane_changeable: namesOf(inputs, ({ change }) => change === 'update'),
        // By input that an action changes: what is sent with it.
        hostplane_actions: Object.fromEntries(actions.map(([input, { fixed }]) => [input, fixed])),
        hostplane_hidden: namesOf(
          inputs,
          ({ secret, writeOnly, change }) => secret || (writeOnly && change !== 'once'),
        ),
        hostplane_compared: Object.fromEntries(
          inputs.flatMap((input) => {
            const compared = comparedIn(input);
            return compared === undefined ? [] : [[input.name, compared]];
          }),
        ),
        hostplane_hashed: namesOf(inputs, ({ readAs }) => typeof readAs === 'object' && 'sha256' in readAs),
        hostplane_maps: namesOf(inputs, ({ type }) => type.kind === 'map'),
        hostplane_decimals: namesOf(inputs, isDecimal),
        hostplane_loose: namesOf(inputs, (input) => isComparable(input) && isShownBesideOthers(input)),
        hostplane_companions: Object.fromEntries(
          inputs.flatMap(({ name: each, goesWith }) => (goesWith === undefined ? [] : [[each, goesWith]])),
        ),
        hostplane_excluded_by: excludedBy,
        hostplane_in_path: isDeclared ? [key] : [],
        hostplane_calls: {
          create: {
            method: create.method.toUpperCase(),
            path: isDeclared
              ? itemPath
              : filled(create.path, parents) + (create.cleansUp ? '?on_failure=delete' : ''),
            headers: {
              ...waits(create),
              ...(create.takesIdempotencyKey ? { 'Idempotency-Key': '{{ hostplane_once }}' } : {}),
              ...(isDeclared ? { 'If-None-Match': '*' } : {}),
            },
          },
          ...(isDeclared
            ? {
                update: {
                  method: create.method.toUpperCase(),
                  path: itemPath,
                  headers: { 'If-Match': `"{{ hostplane_found.etag | default('') }}"` },
                },
              }
            : {}),
          ...(update === undefined
            ? {}
            : { update: { method: update.method.toUpperCase(), path: itemPath, headers: waits(update) } }),
          ...Object.fromEntries(
            actions.map(([input, { call }]) => [
              `change_${input}`,
              {
                method: call.method.toUpperCase(),
                path: filled(call.path, { ...parents, [parameter]: `${own} | urlencode` }),
                headers: {
                  ...waits(call),
                  ...(call.takesIdempotencyKey ? { 'Idempotency-Key': `{{ hostplane_once }}-${input}` } : {}),
                },
              },
            ]),
          ),
          delete: {
            method: 'DELETE',
            path: deleteOptions.length === 0 ? itemPath : `${itemPath}${queryOf(variable('delete_options'))}`,
            headers: waits(resource.delete),
          },
        },
      },
    },
  ];
}
