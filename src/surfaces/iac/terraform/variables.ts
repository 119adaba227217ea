/** `variables.tf`: what a module takes, with the limits of the API, so that mistakes are found before a call. */
import type { ActionChange } from '../actions.ts';
import type { Case, Choice, Input, Limits, Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import { assign, block, literal, quoted } from './hcl.ts';
import { isOptional, typeOf } from './types.ts';

/** An input with the name of its variable. */
export interface ModuleInput extends Input {
  readonly variable: string;
  /** Changes it later; the update does not take it. */
  readonly action?: ActionChange;
}

/** Arguments of every module block, which no variable may be named after. */
const reserved = new Set([
  'source',
  'version',
  'providers',
  'count',
  'for_each',
  'lifecycle',
  'depends_on',
  'locals',
]);

/**
 * Inputs that a module takes: all but those that must be sent with each change of another one, and those that a module
 * of its own sets and takes away (`settings.ts`). An input that an action changes is sent only with the creation.
 */
export const moduleInputs = ({ name: resource, inputs, actions }: ManagedResource): ModuleInput[] =>
  inputs
    .filter(({ name, goesWith, required }) => goesWith === undefined && (required || !actions[name]))
    .map((input) => ({
      ...input,
      variable: reserved.has(input.name) ? `${resource}_${input.name}` : input.name,
      ...(actions[input.name] && { change: 'once', action: actions[input.name] }),
    }));

/** Hidden in plans and logs. User data often contains passwords, which is why the API does not show it either. */
export const isSensitive = ({ secret, readAs }: Member): boolean =>
  secret || (typeof readAs === 'object' && 'sha256' in readAs);

interface Check {
  readonly condition: string;
  readonly message: string;
}

const range = (least: number | undefined, most: number | undefined, unit: string): string => {
  if (most === undefined) return `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
};

const between = (value: string, least: number | undefined, most: number | undefined): string =>
  [
    ...(least === undefined ? [] : [`${value} >= ${least}`]),
    ...(most === undefined ? [] : [`${value} <= ${most}`]),
  ].join(' && ');

/** RE2, which Terraform uses, has no look-around. */
const isRe2 = (pattern: string): boolean => !/\(\?[=!<]/.test(pattern);

function limitChecks(limits: Limits, { type }: Member, value: string, name: string): Check[] {
  const { pattern, minLength, maxLength, minimum, maximum, minItems, maxItems } = limits;
  const checks: Check[] = [];
  const add = (condition: string, message: string): void => void checks.push({ condition, message });
  if (limits.enum !== undefined)
    add(`contains(${literal(limits.enum)}, ${value})`, `${name} must be one of: ${limits.enum.join(', ')}.`);
  if (pattern !== undefined && isRe2(pattern))
    add(`can(regex(${quoted(pattern)}, ${value}))`, `${name} must match ${pattern}`);
  if (minLength !== undefined || maxLength !== undefined)
    add(
      between(`length(${value})`, minLength, maxLength),
      `${name} must have ${range(minLength, maxLength, ' characters')}.`,
    );
  if (minimum !== undefined || maximum !== undefined)
    add(between(value, minimum, maximum), `${name} must be ${range(minimum, maximum, '')}.`);
  if (minItems !== undefined || maxItems !== undefined)
    add(
      between(`length(${value})`, minItems, maxItems),
      `${name} must have ${range(minItems, maxItems, ' items')}.`,
    );
  if (type.kind === 'integer') add(`floor(${value}) == ${value}`, `${name} must be a whole number.`);
  return checks;
}

function caseCheck(
  { by }: Choice,
  { value, required, allowed }: Case,
  object: string,
  all: readonly string[],
) {
  const needs = required.map((name) => `${object}.${name} != null`);
  const lacks = all.filter((name) => !allowed.includes(name)).map((name) => `${object}.${name} == null`);
  const rules = [...needs, ...lacks];
  if (rules.length === 0) return [];
  const takes = allowed.length === 0 ? 'no other member' : `only ${allowed.join(', ')}`;
  const wants = required.length === 0 ? '' : ` and needs ${required.join(', ')}`;
  return [
    {
      condition: `${object}.${by} != ${quoted(value)} || (${rules.join(' && ')})`,
      message: `With ${by} = ${value}, it takes ${takes}${wants}.`,
    },
  ];
}

const every = (list: string, item: string, condition: string): string =>
  `alltrue([for ${item} in ${list} : ${condition}])`;

/** All that must be true of the value, and of what is in it. */
function checksOf(member: Member, value: string, name: string): Check[] {
  const { type, limits } = member;
  const inner = ((): Check[] => {
    if (type.kind === 'list')
      return checksOf(type.items, 'item', `Each item of ${name}`).map(({ condition, message }) => ({
        condition: every(value, 'item', condition),
        message,
      }));
    if (type.kind !== 'object') return [];
    const names = type.members.map((each) => each.name).filter((each) => each !== type.choice?.by);
    return [
      ...type.members.flatMap((each) => checksOf(each, `${value}.${each.name}`, `${each.name} of ${name}`)),
      ...(type.choice?.cases ?? []).flatMap((each) => caseCheck(type.choice as Choice, each, value, names)),
    ];
  })();
  const checks = [...limitChecks(limits, member, value, name), ...inner];
  if (!isOptional(member)) return checks;
  return checks.map(({ condition, message }) => ({
    condition: `${value} == null ? true : ${condition}`,
    message,
  }));
}

/** What happens if the value is changed later, where that is not an update. */
function laterChange({ change, changedBy, action }: ModuleInput): string {
  if (change === 'update' || action !== undefined) return '';
  if (change === 'replace') return ' Another value replaces the resource.';
  const by = changedBy.length === 0 ? '' : ` (the call ${changedBy.join(' or ')} changes it)`;
  return ` Used only while the resource is created${by}.`;
}

const descriptionOf = (input: ModuleInput): string => `${input.description}${laterChange(input)}`.trim();

function variable(input: ModuleInput): string {
  const { variable: name } = input;
  return block(`variable ${quoted(name)}`, [
    assign('description', quoted(descriptionOf(input))),
    assign('type', typeOf(input)),
    ...(input.required ? [] : [assign('default', literal(input.default ?? null))]),
    ...(isOptional(input) ? [] : [assign('nullable', 'false')]),
    ...(isSensitive(input) ? [assign('sensitive', 'true')] : []),
    ...checksOf(input, `var.${name}`, name).map(
      ({ condition, message }) =>
        `\n${block('validation', [assign('condition', condition), assign('error_message', quoted(message))])}`,
    ),
  ]);
}

/** Whether another value of some input would delete the resource, with what it holds. */
export const needsPermission = (resource: ManagedResource): boolean =>
  resource.loss !== undefined &&
  (resource.parent !== undefined || moduleInputs(resource).some(({ change }) => change === 'replace'));

function permissionVariable(resource: ManagedResource): string[] {
  if (!needsPermission(resource)) return [];
  const description = `Whether the ${resource.name} may be deleted and created again, with the loss of all that it holds, if an input changes that nothing can change in place.`;
  return [
    block('variable "allow_replacement"', [
      assign('description', quoted(description)),
      assign('type', 'bool'),
      assign('default', 'false'),
      assign('nullable', 'false'),
    ]),
  ];
}

export function variablesOf(resource: ManagedResource): string {
  const { parent } = resource;
  const ofParent =
    parent === undefined
      ? []
      : [
          block(`variable ${quoted(parent.input)}`, [
            assign(
              'description',
              quoted(`The id of the ${parent.name} that it is part of. Another value replaces the resource.`),
            ),
            assign('type', 'string'),
            assign('nullable', 'false'),
          ]),
        ];
  return [...ofParent, ...moduleInputs(resource).map(variable), ...permissionVariable(resource)].join('\n\n');
}
