/** `main.tf` of a module: one `restful_resource` that creates, reads, changes and deletes the resource. */
import type { Member } from '../inputs.ts';
import type { Call, IacModel, ManagedResource } from '../model.ts';
import { assign, block, braces, literal, quoted } from './hcl.ts';
import { isShown, selectorOf } from './read-back.ts';
import { turnsOf } from './turns.ts';
import { isOptional, sentValue } from './types.ts';
import { isSensitive, type ModuleInput, moduleInputs } from './variables.ts';

const WAIT = 'local.wait';

/** The members of the body: all inputs but the name of a declared resource, which is in its path. */
const bodyInputs = (resource: ManagedResource): ModuleInput[] =>
  moduleInputs(resource).filter(({ name }) => !resource.isDeclared || name !== resource.key);

const isLeftOut = (input: ModuleInput): string =>
  isSensitive(input) ? `nonsensitive(var.${input.variable} == null)` : `var.${input.variable} == null`;

function bodyOf(resource: ManagedResource): string {
  const inputs = bodyInputs(resource);
  const pair = (input: ModuleInput): string => assign(input.name, sentValue(input, `var.${input.variable}`));
  const sure = inputs.filter((input) => !isOptional(input));
  const hidden = inputs.filter((input) => isOptional(input) && isSensitive(input));
  const others = inputs.filter((input) => isOptional(input) && !isSensitive(input));
  if (hidden.length + others.length === 0) return braces(sure.map(pair));
  const parts = [
    ...(sure.length === 0 ? [] : [`${braces(sure.map(pair))},`]),
    ...(others.length === 0
      ? []
      : [`{ for name, value in ${braces(others.map(pair))} : name => value if value != null },`]),
    ...hidden.map((input) => `${isLeftOut(input)} ? {} : { ${input.name} = var.${input.variable} },`),
  ];
  return braces(parts, 'merge(', ')');
}

/** The path with the inputs in the places of its parameters; `own` is put where the resource names itself. */
function pathOf(path: string, { parent, parameter }: ManagedResource, own: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (name === parent?.parameter) return `\${var.${parent.input}}`;
    return name === parameter ? own : whole;
  });
}

/** How the value that names the resource is written in a path: from an input, or from the answer. */
function ownName({ key, inputs }: ManagedResource): string {
  return inputs.some(({ name }) => name === key) ? `\${var.${key}}` : `$(body.${key})`;
}

const text = (value: string): string => `"${value.replaceAll('"', '\\"')}"`;

const headersOf = (call: Call, more: Readonly<Record<string, string>> = {}): string[] => {
  const own = Object.entries(more).map(([name, value]) => `${name} = ${value}`);
  if (!call.waits && own.length === 0) return [];
  if (own.length === 0) return [WAIT];
  const object = `{ ${own.join(', ')} }`;
  return [call.waits ? `merge(${WAIT}, ${object})` : object];
};

/** Leaves of the body, as paths: `source.url`. */
function pathsOf(member: Member, wanted: (leaf: Member) => boolean, at = ''): string[] {
  const path = `${at}${member.name}`;
  const { type } = member;
  if (type.kind !== 'object' || member.writeOnly || member.readAs !== undefined)
    return wanted(member) ? [path] : [];
  const leaves = type.members.flatMap((each) => pathsOf(each, wanted, `${path}.`));
  const all = type.members.flatMap((each) => pathsOf(each, () => true, `${path}.`));
  return leaves.length === all.length ? [path] : leaves;
}

/** What the answer does not show keeps the value of the state. A path that the body lacks is not allowed here. */
function hiddenPaths(resource: ManagedResource): string[] {
  const parts = bodyInputs(resource).flatMap((input) =>
    pathsOf(input, (leaf) => !isShown(leaf)).map((path) => {
      const [, ...inner] = path.split('.');
      const value = ['var', input.variable, ...inner].join('.');
      if (inner.length > 0) return `${value} == null ? [] : [${quoted(path)}],`;
      return isOptional(input) ? `${isLeftOut(input)} ? [] : [${quoted(path)}],` : `[${quoted(path)}],`;
    }),
  );
  return parts.length === 0 ? [] : [assign('write_only_attrs', braces(parts, 'concat(', ')'))];
}

function readOf(resource: ManagedResource): string[] {
  const { read, create } = resource;
  const own = ownName(resource);
  const selector = selectorOf(resource, own);
  const isItem = read.in === undefined && !resource.isDeclared;
  const readPath = isItem ? `$(path)/${own}` : pathOf(read.path, resource, own);
  const filter = read.filter === undefined ? undefined : `{ ${read.filter} = [var.${resource.key}] }`;
  const page = read.pageSize === undefined ? undefined : `{ limit = ["${read.pageSize}"] }`;
  const query = filter ?? page;
  return [
    ...(readPath === create.path ? [] : [assign('read_path', text(readPath))]),
    ...(query === undefined ? [] : [assign('read_query', query)]),
    ...(selector === '' ? [] : [assign('read_selector', text(selector))]),
  ];
}

function updateOf(resource: ManagedResource): string[] {
  const { update, create, isDeclared } = resource;
  if (isDeclared) return [assign('update_method', quoted('PUT')), assign('update_path', quoted('$(path)'))];
  if (update === undefined) return [];
  const itemPath = `$(path)/${ownName(resource)}`;
  return [
    assign('update_method', quoted(update.method)),
    ...(resource.read.in === undefined ? [] : [assign('update_path', text(itemPath))]),
    ...headersOf(update).map((headers) => assign('update_header', headers)),
    ...(update.startsOperation ? [assign('poll_update', 'local.succeeded')] : []),
    ...(update.mayStartOperation ? [assign('poll_update', 'local.settled')] : []),
    ...(create.method === 'POST' ? [assign('merge_patch_disabled', 'false')] : []),
  ];
}

function createOf({ create, isDeclared }: ManagedResource): string[] {
  const own = isDeclared
    ? { 'If-None-Match': quoted('*') }
    : create.takesIdempotencyKey
      ? { 'Idempotency-Key': 'uuid()' }
      : undefined;
  return [
    ...(create.method === 'POST' ? [] : [assign('create_method', quoted(create.method))]),
    ...(create.cleansUp ? [assign('create_query', literal({ on_failure: ['delete'] }))] : []),
    ...headersOf(create, own).map((headers) => assign('create_header', headers)),
    ...(create.startsOperation ? [assign('poll_create', 'local.succeeded')] : []),
  ];
}

function deleteOf(resource: ManagedResource): string[] {
  const { delete: removal, read, isDeclared } = resource;
  const path = isDeclared ? '$(path)' : `$(path)/${ownName(resource)}`;
  return [
    ...(read.in === undefined ? [] : [assign('delete_path', text(path))]),
    ...headersOf(removal).map((headers) => assign('delete_header', headers)),
    ...(removal.startsOperation ? [assign('poll_delete', 'local.succeeded')] : []),
  ];
}

/** The outputs that are read from the answer, and the member that names the resource in paths. */
function outputNames({ key, outputs, inputs }: ManagedResource): string[] {
  const isGiven = inputs.some(({ name }) => name === key);
  return [...new Set([...(isGiven ? [] : [key]), ...outputs.map(({ name }) => name)])];
}

function localsOf(resource: ManagedResource, turns: readonly string[]): string[] {
  const { create, update, delete: removal, states } = resource;
  const calls = [create, removal, ...(update === undefined ? [] : [update])];
  const locals: string[] = [];
  if (calls.some(({ waits }) => waits))
    locals.push(
      '# The server holds the answer until the work is done, for up to a minute.',
      `wait = { Prefer = "wait=60" }\n`,
    );
  if (calls.some(({ startsOperation }) => startsOperation))
    locals.push(
      `succeeded = ${braces([
        'url_locator = "header.Operation-Location"',
        'status_locator = "body.status"',
        'status = { success = "succeeded", pending = ["queued", "running", "cancelling"] }',
        'default_delay_sec = 0',
        `header = ${WAIT}`,
      ])}\n`,
    );
  if (update?.mayStartOperation && states !== undefined) {
    const steady = states.transient.map((state) => `#(!%\\"${state}\\")#`).join('|');
    locals.push(
      '# A change may start an operation or not: wait until the state lasts.',
      `settled = ${braces([
        `status_locator = "body.[${states.member}].${steady}|#"`,
        'status = { success = "1", pending = ["0"] }',
        'default_delay_sec = 2',
      ])}\n`,
    );
  }
  locals.push(...turns, '# What is left out has the default of the API.', assign('body', bodyOf(resource)));
  return locals;
}

export function mainOf(resource: ManagedResource, model: IacModel): string {
  const turns = turnsOf(resource, model);
  const inputs = bodyInputs(resource);
  const replacing = inputs.flatMap((input) => pathsOf(input, ({ change }) => change === 'replace'));
  const once = inputs.flatMap((input) => pathsOf(input, ({ change }) => change === 'once'));
  const isKeyed = !resource.isDeclared && resource.create.takesIdempotencyKey;
  const ignored = [...(isKeyed ? ['create_header'] : []), ...once.map((path) => `body.${path}`)];
  const own = ownName(resource);
  return [
    block('locals', localsOf(resource, turns.locals)),
    block('resource "restful_resource" "this"', [
      assign('path', text(pathOf(resource.create.path, resource, own))),
      ...readOf(resource),
      '',
      'body = local.body',
      ...(replacing.length === 0 ? [] : [assign('force_new_attrs', literal(replacing))]),
      ...hiddenPaths(resource),
      assign('output_attrs', literal(outputNames(resource))),
      '',
      ...createOf(resource),
      ...updateOf(resource),
      ...deleteOf(resource),
      ...(turns.uses.length === 0 ? [] : ['', ...turns.uses]),
      ...(ignored.length === 0
        ? []
        : [
            '',
            block('lifecycle', [
              ...(once.length === 0 ? [] : ['# Used only while the resource is created.']),
              assign('ignore_changes', `[${ignored.join(', ')}]`),
            ]),
          ]),
    ]),
  ].join('\n\n');
}

/** `outputs.tf` of a module. */
export function outputsFile(resource: ManagedResource): string {
  const fromPath = resource.read.in === undefined;
  return resource.outputs
    .map(({ name, description }) =>
      block(`output ${quoted(name)}`, [
        assign('description', quoted(description)),
        assign(
          'value',
          name === resource.key && fromPath
            ? 'basename(restful_resource.this.id)'
            : `restful_resource.this.output.${name}`,
        ),
      ]),
    )
    .join('\n\n');
}
