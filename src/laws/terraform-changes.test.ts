/**
 * What another value of an input does, for every input of every Terraform module: it is changed in place where the API
 * has any call for it, and replaces the resource only where nothing can. The registry says which calls there are; the
 * text of the modules says what they do. `terraform-drift.test.ts` shows the same with the real OpenTofu.
 */
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { changedBy, itemPath, managedResource, membersOf } from '../kernel/managed-resource.ts';
import { OperationView } from '../kernel/operations/schema.ts';
import { type Endpoint, isOperation } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { terraformFiles } from '../surfaces/iac/terraform/files.ts';
import { GONE } from '../surfaces/iac/terraform/read-back.ts';
import { isOptional } from '../surfaces/iac/terraform/types.ts';
import { moduleInputs } from '../surfaces/iac/terraform/variables.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { endpoints } from './walk.ts';

const model = iacModel(exampleDocument(buildRegistry(families)));
const files = terraformFiles(model, 'law');
const mainOf = (module: string): string => files[`terraform/modules/${module}/main.tf`] ?? '';
const all = [...model.resources, ...model.attachments];
const endpoint = (id: string): Endpoint | undefined => endpoints.find((each) => each.id === id);
const takes = ({ body }: Endpoint, name: string): boolean => Object.hasOwn(membersOf(body), name);
const isHarmless = ({ access }: Endpoint): boolean => access !== 'destructive';

/** The names of members at the beginning of the paths that an argument of the module lists. */
function listedIn(module: string, argument: string, before = '"'): string[] {
  const [, listed = ''] = new RegExp(`${argument} += (.*)`).exec(mainOf(module)) ?? [];
  return [...listed.matchAll(new RegExp(`${before}(\\w+)`, 'g'))]
    .map(([, name = '']) => name)
    .filter((name) => name !== GONE);
}

/** The calls on one such resource, other than its update, that take a member of this name and destroy nothing. */
function actionsWith(resource: string, name: string): string[] {
  const path = itemPath(endpoints, resource);
  const own = endpoints.filter((each) => path !== undefined && each.path.startsWith(`${path}/`));
  const managed = managedResource(resource, endpoints);
  const known = Object.keys(managed === undefined ? {} : changedBy(managed, name));
  return own
    .filter((each) => known.includes(each.id) && isHarmless(each) && takes(each, name))
    .map(({ id }) => id);
}

describe.each(all)('the inputs of the module $name', (resource) => {
  const { name, isDeclared, key } = resource;
  const managed = managedResource(name, endpoints);
  const replacing = listedIn(name, 'force_new_attrs');
  const ignored = listedIn(name, 'ignore_changes', 'body\\.');

  it('are changed in place if any call can change them', () => {
    for (const input of resource.inputs.filter((each) => !isDeclared || each.name !== key)) {
      const updater = endpoint(resource.update?.id ?? (isDeclared ? resource.create.id : ''));
      const actions = actionsWith(name, input.name);
      const isUpdated = updater !== undefined && takes(updater, input.name);
      if (isUpdated || actions.length > 0) expect(replacing, input.name).not.toContain(input.name);
      if (isUpdated) expect(ignored, input.name).not.toContain(input.name);
      else if (actions.length > 0) {
        const byModule = model.settings.filter(
          ({ of, member, call }) =>
            of.name === name && member.name === input.name && actions.includes(call.id),
        );
        const text = mainOf(byModule[0]?.name ?? name);
        const [, sent = ''] = /resource "restful_(?:operation" "\w+"|resource" "this") \{([\s\S]*?)\n\}/.exec(
          byModule.length > 0 ? text : text.slice(text.indexOf(`"restful_operation" "${input.name}"`) - 9),
        ) ?? ['', ''];
        expect(sent, input.name).toMatch(new RegExp(`\\b${input.name} += var\\.${input.name}\\b`));
        expect(sent, input.name).toContain(
          endpoint(actions[0] ?? '')
            ?.path.split('}')
            .at(-1),
        );
      }
    }
  });

  it('do not replace it for changes by calls of other resources, unless each of them destroys its content', () => {
    for (const input of moduleInputs(resource)) {
      const calls = managed === undefined ? [] : Object.keys(changedBy(managed, input.name));
      if (calls.some((id) => isHarmless(endpoint(id) as Endpoint)))
        expect(replacing, input.name).not.toContain(input.name);
    }
  });

  it('replace it only if nothing else is possible', () => {
    for (const each of replacing) {
      const input = resource.inputs.find((one) => one.name === each);
      expect(input?.writeOnly, each).not.toBe(true);
      expect(actionsWith(name, each), each).toEqual([]);
    }
  });

  it('detach what is attached when it is destroyed, if its deletion can do that', () => {
    const removal = endpoint(resource.delete.id) as Endpoint;
    const detaches = Object.hasOwn(membersOf(queryShapeOf(removal)), 'detach');
    expect(mainOf(name).includes('delete_query')).toBe(detaches);
  });
});

describe('what others have deleted', () => {
  it.each(all)(
    'is made again by the module $name, also where the provider cannot go on after a 404',
    (resource) => {
      const text = mainOf(resource.name);
      expect(text).toMatch(/read_header += \{ Prefer = "errors=text, missing=marked" \}/);
      expect(text).toMatch(/force_new_attrs += (?:concat\()?\["gone"/);
      // The mark is a list in the place of a member that every body has and that is none, so that the types do not fit.
      const [, member] = /\{\\"(\w+)\\":gone\}\]\|@join"/.exec(text) ?? [];
      const input = moduleInputs(resource).find(({ name }) => name === member);
      expect([member, input?.type.kind === 'list', input && isOptional(input)]).toEqual([
        member,
        false,
        false,
      ]);
      // What is an item of a list is missing there, and the path of its deletion needs its key.
      if (resource.read.in !== undefined)
        expect(text).toMatch(new RegExp(`,!\\{\\\\"${resource.key}\\\\":[^{}]*(?:\\{[^}]*\\})?[^{}]*gone`));
    },
  );

  it.each(model.settings)(
    'does not end the plan of the module $name, which reads another resource',
    ({ name }) => {
      expect(mainOf(name)).toMatch(/read_header += \{ Prefer = "errors=text, missing=marked" \}/);
    },
  );
});

describe.each([
  ...all.map(({ name, create, update, delete: removal }) => ({
    name,
    create,
    update,
    removal,
    isSetting: false,
  })),
  ...model.settings.map(({ name, call }) => ({
    name,
    ...{ create: call, update: call, removal: call },
    isSetting: true,
  })),
])('the module $name', ({ name, create, update, removal, isSetting }) => {
  const text = mainOf(name);

  it('follows each call that may start an operation to its end, so that a failure is an error', () => {
    const calls = { create, update, delete: removal };
    for (const [argument, call] of Object.entries(calls)) {
      const started = call && endpoint(call.id)?.operation;
      const [, followed] = new RegExp(`poll_${argument} += local\\.(\\w+)`).exec(text) ?? [];
      if (!started) expect(followed, argument).toBeUndefined();
      else if (call.mayStartOperation) expect(followed, argument).toBe('followed');
      else expect(followed, argument).toMatch(/^(succeeded|followed)$/);
    }
  });

  it('is destroyed without an error if others have deleted what it is about', () => {
    // The provider takes a 404 as done for this method only.
    if (removal.method === 'DELETE' && !isSetting) return;
    expect(text).toMatch(/delete_header += \{ Prefer = "wait=60, errors=text, missing=marked" \}/);
    if (endpoint(removal.id)?.operation) expect(text).toMatch(/poll_delete += local\.followed/);
  });
});

it('finds the operation in an answer: no resource has the member that an operation has its address in', () => {
  const answers = endpoints.flatMap(({ id, answers: each }) =>
    Object.values(each).flatMap((answer) =>
      answer != null && Object.hasOwn(membersOf(answer), 'href') && !isOperation(answer) ? [id] : [],
    ),
  );
  expect(answers).toEqual([]);
  expect(Object.keys(membersOf(OperationView))).toContain('href');
});

it.each(all.filter(({ parent, loss }) => parent !== undefined && loss !== undefined))(
  'the module $name forgets the values of the part that went with its parent, so that the next plan does not refuse them',
  ({ name, parent }) => {
    expect(mainOf(name)).toContain(`substr(var.${parent?.input}, 0, 0)]`);
  },
);

it('follows every operation with a form of it that people can read', () => {
  const followed = Object.keys(files).filter((path) => /^ +url_locator/m.test(files[path] ?? ''));
  expect(followed.length).toBeGreaterThan(5);
  for (const path of followed) {
    expect(files[path]).toMatch(/status_locator += "header\.Operation-Status"/);
    expect(files[path]).toMatch(/header += merge\(local\.wait, \{ Accept = "text\/plain" \}\)/);
  }
});

it('every module keeps only named members of answers, so that plans do not show whole operations', () => {
  for (const [path, text] of Object.entries(files)) {
    const makers = text.match(/^resource "restful_/gm) ?? [];
    expect([path, text.match(/^ +output_attrs += \["/gm)?.length ?? 0]).toEqual([path, makers.length]);
  }
});

it('volumes and firewalls attached by other modules, and a volume grown by an action, are found', () => {
  expect(listedIn('vm', 'ignore_changes', 'body\\.')).toEqual(
    expect.arrayContaining(['volume_ids', 'firewall_ids']),
  );
  expect(mainOf('volume')).toContain('resource "restful_operation" "size_gb"');
});

/** What a call adds and another takes away, without destroying anything: `POST …/attachments` and `DELETE …/{id}`. */
const pairs = endpoints.flatMap((removal) => {
  const place = removal.path.slice(0, removal.path.lastIndexOf('/'));
  const adder = endpoints.find(({ path, method }) => path === place && method === 'POST');
  return removal.method === 'DELETE' && isHarmless(removal) && adder !== undefined
    ? [{ adder, removal }]
    : [];
});

/** Actions that one call has as values of its `type`: `attach` and `detach`. */
const twins = endpoints.filter(({ body }) => {
  const { enum: values = [] } = (membersOf(body)['type'] ?? {}) as { enum?: readonly unknown[] };
  return values.includes('attach') && values.includes('detach');
});

describe('a module that attaches one resource to another', () => {
  it('exists, and detaches when it is destroyed', () => {
    expect(pairs.length + twins.length).toBeGreaterThan(3);
    for (const { adder, removal } of pairs) {
      const module = all.find(({ create, delete: gone }) => create.id === adder.id && gone.id === removal.id);
      // A rule of a firewall is an input of the firewall.
      const [, , , , , part = ''] = removal.path.split('/');
      const isInput = model.resources.some(({ inputs, read }) =>
        removal.path.startsWith(`${read.path}/`) ? inputs.some((each) => each.name === part) : false,
      );
      expect([removal.id, module !== undefined || isInput]).toEqual([removal.id, true]);
    }
    for (const { id } of twins) {
      const setting = model.settings.find(({ call }) => call.id === id);
      expect(mainOf(setting?.name ?? '')).toMatch(/delete_body += \{ type = "detach" \}/);
    }
  });

  it('has the names and the clearing call of every reference that can be null', () => {
    expect(model.settings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['volume_attachment', 'vm_iso', 'vm_backup_policy']),
    );
    for (const { name, clear, member } of model.settings)
      if (Object.hasOwn(clear, member.name))
        expect(mainOf(name)).toMatch(new RegExp(`delete_body += \\{ ${member.name} = null \\}`));
  });
});
