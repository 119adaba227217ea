/** `main.tf` of a module: one `restful_resource` that creates, reads, changes and deletes the resource. */
import type { Call } from '../calls.ts';
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import { bodyInputs, bodyOf, hiddenPaths, pathsOf } from './body.ts';
import { assign, block, braces, literal, quoted } from './hcl.ts';
import { pollOf, WAIT, waitLocals } from './poll.ts';
import { MARKED, markedSelectorOf } from './read-back.ts';
import { guardIn, recordOf, replacingAttributes, replacingLocals } from './replacement.ts';
import { turnsOf } from './turns.ts';
import type { ModuleInput } from './variables.ts';

const READABLE = 'Prefer = "errors=text"';

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
  // Headers of a call replace those of the provider, which ask for errors that people can read, too.
  const object = (parts: readonly string[]): string => `{ ${parts.join(', ')} }`;
  return [call.waits ? `merge(${WAIT}, ${object(own)})` : object([READABLE, ...own])];
};

function readOf(resource: ManagedResource): string[] {
  const { read, create } = resource;
  const own = ownName(resource);
  const selector = markedSelectorOf(resource, own);
  const isItem = read.in === undefined && !resource.isDeclared;
  const readPath = isItem ? `$(path)/${own}` : pathOf(read.path, resource, own);
  const filter = read.filter === undefined ? undefined : `{ ${read.filter} = [var.${resource.key}] }`;
  const page = read.pageSize === undefined ? undefined : `{ limit = ["${read.pageSize}"] }`;
  const query = filter ?? page;
  return [
    ...(readPath === create.path ? [] : [assign('read_path', text(readPath))]),
    ...(query === undefined ? [] : [assign('read_query', query)]),
    MARKED,
    assign('read_selector', text(selector)),
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
    ...pollOf('poll_update', { call: update }),
    ...(create.method === 'POST' ? [assign('merge_patch_disabled', 'false')] : []),
  ];
}

function createOf({ create, createdAs, key, isDeclared }: ManagedResource): string[] {
  const own = isDeclared
    ? { 'If-None-Match': quoted('*') }
    : create.takesIdempotencyKey
      ? { 'Idempotency-Key': 'uuid()' }
      : undefined;
  return [
    ...(create.method === 'POST' ? [] : [assign('create_method', quoted(create.method))]),
    ...(create.cleansUp ? [assign('create_query', literal({ on_failure: ['delete'] }))] : []),
    // An answer that was waited for shows the parent as it is then, and no longer what was added to it.
    ...headersOf(createdAs === undefined ? create : { ...create, waits: false }, own).map((headers) =>
      assign('create_header', headers),
    ),
    ...(createdAs === undefined ? [] : [assign('create_selector', text(`{"${key}":${createdAs}}`))]),
    ...pollOf('poll_create', { call: create }),
  ];
}

function deleteOf(resource: ManagedResource): string[] {
  const { delete: removal, read, isDeclared } = resource;
  const path = isDeclared ? '$(path)' : `$(path)/${ownName(resource)}`;
  return [
    ...(read.in === undefined ? [] : [assign('delete_path', text(path))]),
    ...(removal.detaches ? [assign('delete_query', literal({ detach: ['true'] }))] : []),
    ...headersOf(removal).map((headers) => assign('delete_header', headers)),
    ...pollOf('poll_delete', { call: removal }),
  ];
}

/** The outputs that are read from the answer, and the member that names the resource in paths. */
function outputNames({ key, outputs, inputs }: ManagedResource): string[] {
  const isGiven = inputs.some(({ name }) => name === key);
  return [...new Set([...(isGiven ? [] : [key]), ...outputs.map(({ name }) => name)])];
}

function localsOf(resource: ManagedResource, turns: readonly string[]): string[] {
  const { create, update, delete: removal, actions } = resource;
  const later = Object.values(actions).map(({ call }) => call);
  const calls = [create, removal, ...(update === undefined ? [] : [update]), ...later];
  return [
    ...waitLocals(calls.map((call) => ({ call }))),
    ...turns,
    '# What is left out has the default of the API.',
    assign('body', bodyOf(resource)),
    ...replacingLocals(resource),
  ];
}

/** One call for each input that an action changes; the creation has the first value, so the first call changes nothing. */
function actionOf(resource: ManagedResource, { name, variable, action }: ModuleInput): string[] {
  if (action === undefined) return [];
  const { call, fixed } = action;
  const members = Object.entries(fixed).map(([each, value]) => assign(each, literal(value)));
  return [
    block(`resource "restful_operation" ${quoted(name)}`, [
      assign('path', text(pathOf(call.path, resource, `\${basename(restful_resource.this.id)}`))),
      assign('method', quoted(call.method)),
      assign('body', braces([...members, assign(name, `var.${variable}`)])),
      ...headersOf(call).map((headers) => assign('operation_header', headers)),
      ...pollOf('poll', { call }),
      // An empty list would keep the whole operation, and every plan would show it.
      assign('output_attrs', literal(['status'])),
    ]),
  ];
}

export function mainOf(resource: ManagedResource, model: IacModel): string {
  const turns = turnsOf(resource, model);
  const inputs = bodyInputs(resource);
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
      ...replacingAttributes(resource),
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
              ...(once.length === 0
                ? []
                : ['# Used only while the resource is created, or changed by others, too.']),
              assign('ignore_changes', `[${ignored.join(', ')}]`),
            ]),
          ]),
    ]),
    ...inputs.flatMap((input) => actionOf(resource, input)),
    ...recordOf(resource),
  ].join('\n\n');
}

/** `outputs.tf` of a module. */
export function outputsFile(resource: ManagedResource): string {
  const fromPath = resource.read.in === undefined;
  return resource.outputs
    .map(({ name, description }, i) =>
      block(`output ${quoted(name)}`, [
        assign('description', quoted(description)),
        assign(
          'value',
          name === resource.key && fromPath
            ? 'basename(restful_resource.this.id)'
            : // What is gone has no outputs, which only `plan -refresh-only` can see.
              `try(restful_resource.this.output.${name}, null)`,
        ),
        ...(i === 0 ? guardIn(resource) : []),
      ]),
    )
    .join('\n\n');
}
