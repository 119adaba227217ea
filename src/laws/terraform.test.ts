/**
 * What every Terraform module promises, shown with the real OpenTofu and the real provider: all modules are in one
 * configuration, because starting OpenTofu takes longer than what it does.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault } from '../engines/sandbox/store.ts';
import type { Call } from '../surfaces/iac/calls.ts';
import type { ManagedResource } from '../surfaces/iac/managed.ts';
import { moduleInputs, needsPermission } from '../surfaces/iac/terraform/variables.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isoUrlFor } from '../testing/iso-server.ts';
import { isLong } from '../testing/long-form.ts';
import { settle } from '../testing/operations.ts';
import type { Seen } from '../testing/terraform/front.ts';
import { whyNoTofu } from '../testing/terraform/tofu.ts';
import { model, openRig, succeeding, type TerraformRig, TIMEOUT_MS } from './terraform-rig.ts';
import { differing, type Instance, type Json, untried, Values } from './terraform-values.ts';

const { resources } = model;
const title = 'the Terraform modules';
const VMS = '/flexible-vps/v1/vms';

/** The whole law takes minutes, many where OpenTofu is emulated: the short form makes every resource and destroys it. */
const isShort = !isLong;
const inLongForm = (name: string, test: () => Promise<void>): void => {
  const reason = 'only npm test -- --all runs it';
  it.skipIf(isShort)(isShort ? `${name}: ${reason}` : name, test, TIMEOUT_MS);
};

interface CreatedVm {
  readonly id: string;
  readonly operation: { readonly id: string };
  readonly initial_credentials: { readonly password: string } | null;
}

/** `resource.input` of each input with a value. */
const inputsIn = ({ name }: ManagedResource, body: Json): string[] =>
  Object.keys(body)
    .filter((input) => body[input] !== undefined)
    .map((input) => `${name}.${input}`);

/** Of these inputs, those that no request of the call has sent. The name of a declared resource is in its path. */
function unsent(
  inputs: readonly string[],
  requests: readonly Seen[],
  of: (each: ManagedResource) => Call,
): string[] {
  const sent = resources.flatMap((resource) => {
    const { method, path } = of(resource);
    const form = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
    const bodies = requests.filter((request) => request.method === method && form.test(request.path));
    const members = bodies.flatMap((request) => inputsIn(resource, JSON.parse(request.sent) as Json));
    return resource.isDeclared ? [...members, `${resource.name}.${resource.key}`] : members;
  });
  return inputs.filter((input) => !sent.includes(input));
}

/** The action that changes the input `resource.input`. */
const actionFor = (name: string): Call | undefined => {
  const [resource, input = ''] = name.split('.');
  return resources.find((each) => each.name === resource)?.actions[input]?.call;
};

describe.skipIf(whyNoTofu !== null)(whyNoTofu === null ? title : `${title}: ${whyNoTofu}`, () => {
  let rig: TerraformRig;
  let values: Values;
  let instances: readonly Instance[];

  const read = async (url: string): Promise<Json> => (await rig.app.call({ url, key: rig.owner.key })).json();
  const inventory = (): Promise<string[]> => inventoryOf(rig.app, rig.owner.key);

  beforeAll(async () => {
    // What the provider does is logged, since it makes the requests; the log of OpenTofu itself takes most of its time.
    const environment = { TF_LOG_PROVIDER: 'INFO', TF_LOG_PATH: 'tofu.log' };
    rig = await openRig({ environment, modules: resources });
    values = new Values(resources, read);
    // No list has the URL of an ISO.
    const given: Readonly<Record<string, Json>> = { iso: { url: await isoUrlFor(rig.app) } };
    instances = (await values.instances())
      .filter(({ module, resource }) => !isShort || module === resource.name)
      .map((instance) => ({ ...instance, body: { ...instance.body, ...given[instance.module] } }));
    const { file } = rig;
    // One initialisation serves all: the copies of this folder use the same modules. Only the long form makes scenarios.
    await file.write(instances, isShort ? {} : { others: file.scenarios });
    await rig.init();
    await file.write(instances);
  }, TIMEOUT_MS);

  afterAll(() => rig?.close());

  it(
    'are formatted like tofu fmt does',
    async () => {
      const formatting = ['fmt', '-check', '-diff', '-recursive', 'terraform'];
      await succeeding(rig.tofu.run(rig.file.folder, ...formatting));
    },
    TIMEOUT_MS,
  );

  inLongForm(
    'make whole scenarios; what a failed creation left out is made by the next try, and all of it is destroyed',
    async () => {
      const scenarios = await rig.file.copyTo(join(rig.folder, 'scenarios'));
      await scenarios.writeModules(scenarios.scenarios);
      const effect = { kind: 'fail', code: 'engine_failed', detail: 'The disk is broken.' } as const;
      for (const call of ['ensureInstance', 'ensureNetwork'] as const)
        await addFault(rig.app.services.db, { call, times: 1, effect });
      const failed = await rig.apply(scenarios);
      expect(failed.code).not.toBe(0);
      expect(failed.output.match(/\(create_failed\)/g)?.length, failed.output).toBeGreaterThan(1);
      await succeeding(rig.apply(scenarios));
      await succeeding(rig.plan(scenarios));
      await succeeding(rig.destroy(scenarios));
      expect(await inventory()).toEqual([]);
    },
  );

  it(
    'create every resource, a machine with three requests, and store no password that is shown once',
    async () => {
      rig.front.taken();
      await succeeding(rig.apply());
      const modules = instances.map(({ module }) => module);
      expect(Object.keys(await rig.file.state()).sort()).toEqual(modules.sort());

      const requests = rig.front.taken();
      const given = instances.map(({ resource, body }) => inputsIn(resource, body));
      expect(unsent(given.flat(), requests, ({ create }) => create)).toEqual([]);
      const creations = requests.filter(
        ({ method, path }) => method === 'POST' && path.startsWith(`${VMS}?`),
      );
      const answers = creations.map(({ answer }) => JSON.parse(answer) as CreatedVm);
      for (const [i, { id, operation }] of answers.entries()) {
        const own = requests.filter(
          (request) =>
            request === creations[i] || request.path.includes(id) || request.path.endsWith(operation.id),
        );
        // What is about the machine until something is made that is part of it.
        const part = own.findIndex(({ path }) => path.startsWith(`${VMS}/${id}/`));
        expect((part === -1 ? own : own.slice(0, part)).length).toBeLessThanOrEqual(3);
      }
      const passwords = answers.flatMap(({ initial_credentials: shown }) => shown?.password ?? []);
      expect(passwords.length).toBe(answers.length);
      const state = await readFile(join(rig.file.folder, 'terraform.tfstate'), 'utf8');
      expect(passwords.filter((password) => state.includes(password))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  inLongForm(
    'have nothing to do then, and refuse to replace what holds something for inputs that cannot be changed',
    async () => {
      const replaced = await rig.file.copyTo(join(rig.folder, 'replaced'));
      const plain = instances.filter(({ module, resource }) => module === resource.name);
      const names = await replaced.writeReplacements(plain, rig.file);
      const { output } = await rig.plan(replaced);
      const isGuarded = ({ resource }: { resource: ManagedResource }): boolean => needsPermission(resource);
      const textsOf = (those: typeof names): string[] => those.map(({ text }) => text).sort();
      const found = output.matchAll(/# module\.(\w+)\["(\w+)"\]\.restful_resource\.this must be replaced/g);
      expect(
        [...new Set([...found].map(([, module, input]) => `${module}.${input}`))].sort(),
        output,
      ).toEqual(expect.arrayContaining(textsOf(names.filter((each) => !isGuarded(each)))));
      // What holds something is not replaced without a word in the file: each such plan fails and says why.
      const said = output.replaceAll(/[\s│]+/g, ' ').matchAll(/Nothing can change (\w+) of this (\w+):/g);
      expect([...said].map(([, input, module]) => `${module}.${input}`).sort(), output).toEqual(
        textsOf(names.filter(isGuarded)),
      );
      expect(output).not.toContain('Warning:');
    },
  );

  inLongForm(
    'change each input that can be changed, and then look at each resource once and have nothing to do',
    async () => {
      const before = instances;
      instances = await Promise.all(before.map((instance) => values.changed(instance)));
      const tried = instances.map((after, i) => differing(before[i] ?? after, after));
      const changeable = resources.flatMap((resource) =>
        moduleInputs(resource)
          .filter(({ change, action }) => change === 'update' || action !== undefined)
          .map(({ name }) => `${resource.name}.${name}`),
      );
      expect(changeable.filter((name) => !tried.flat().includes(name)).sort()).toEqual(Object.keys(untried));

      await rig.file.write(instances);
      rig.front.taken();
      const changed = await rig.apply();
      const requests = rig.front.taken();
      const byActions = tried.flat().filter((name) => actionFor(name) !== undefined);
      const byUpdates = tried.flat().filter((name) => actionFor(name) === undefined);
      expect(unsent(byUpdates, requests, ({ update, create }) => update ?? create)).toEqual([]);
      for (const name of byActions)
        expect(unsent([name], requests, (resource) => actionFor(name) ?? resource.create)).toEqual([]);
      const touched = tried.filter((names) => names.length > 0).length + byActions.length;
      expect(changed.output).toContain(`Resources: 0 added, ${touched} changed, 0 destroyed`);

      rig.front.taken();
      rig.front.refusals = 1;
      await succeeding(rig.plan());
      const seen = rig.front.taken();
      // The refused request is repeated.
      expect(seen.map(({ status }) => status).sort()).toEqual([...instances.map(() => 200), 429]);
      expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);

      // What the API does not show was sent, too.
      const state = await rig.file.state();
      const { user_data } = instances.find(({ module }) => module === 'vm')?.body ?? {};
      const hash = createHash('sha256').update(String(user_data)).digest('hex');
      expect(await read(state['vm']?.id ?? '')).toMatchObject({ user_data_sha256: hash });
      expect(state['webhook_signed']?.output).toMatchObject({ secret_version: 2 });
    },
  );

  inLongForm(
    'take what exists into an empty state, see only what others change then, and destroy all of it',
    async () => {
      const state = await rig.file.state();
      const taken = await rig.file.copyTo(join(rig.folder, 'imported'));
      await taken.write(instances, { known: state });
      rig.front.taken();
      const imported = await rig.apply(taken);
      // Beside the resource, a module remembers what only a new one can have, and calls each action once for nothing.
      const added = instances.flatMap(({ resource }) => [
        ...(needsPermission(resource) ? [resource.name] : []),
        ...moduleInputs(resource).flatMap(({ action, name }) => (action === undefined ? [] : [name])),
      ]);
      expect(imported.output).toContain(`Resources: ${instances.length} imported, ${added.length} added`);
      const acts = rig.front.taken().filter(({ method }) => method === 'POST' || method === 'DELETE');
      expect(acts.filter(({ path }) => !path.endsWith('/actions'))).toEqual([]);

      const at = (name: string): string => state[name]?.id ?? '';
      const by = { key: rig.owner.key };
      const payload = { description: 'by hand' };
      expect((await rig.app.call({ ...by, method: 'PATCH', url: at('network'), payload })).statusCode).toBe(
        202,
      );
      expect((await rig.app.call({ ...by, method: 'DELETE', url: at('ssh_key') })).statusCode).toBe(204);
      const { output } = await rig.plan(taken);
      expect(output).toContain('module.network.restful_resource.this will be updated in-place');
      expect(output).toContain('module.ssh_key.restful_resource.this must be replaced');
      // Nothing else: the import had left nothing to do.
      expect(output).toContain('Plan: 1 to add, 1 to change, 1 to destroy.');

      // The changes before have protected whatever can be protected.
      const unprotected = { protection: { delete: false } };
      for (const { module } of instances.filter(({ body }) => body['protection'] !== undefined))
        expect(
          (await rig.app.call({ ...by, method: 'PATCH', url: at(module), payload: unprotected })).statusCode,
        ).toBeLessThan(300);
      await settle(rig.app);
      await succeeding(rig.destroy(taken));
      expect(await inventory()).toEqual([]);
    },
  );

  it.runIf(isShort)(
    'have an empty plan afterwards, and leave nothing when they are destroyed',
    async () => {
      await succeeding(rig.plan());
      // The plan has just looked at everything.
      await succeeding(rig.destroy(rig.file, '-refresh=false'));
      expect(await inventory()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('never write or print the key, and never print other secrets', async () => {
    const secrets = instances.flatMap(({ body }) => body['secret'] ?? body['user_data'] ?? []).map(String);
    expect(secrets.length > 0).toBe(!isShort);
    for (const secret of [rig.key, ...secrets])
      expect(rig.printed.filter((text) => text.includes(secret))).toEqual([]);
    const files = await readdir(rig.folder, { recursive: true, withFileTypes: true });
    const texts = files.filter(
      (file) => file.isFile() && /\.(tf|json|hcl|tfstate|backup|log)$/.test(file.name),
    );
    expect(texts.map(({ name }) => name)).toEqual(expect.arrayContaining(['terraform.tfstate', 'tofu.log']));
    for (const file of texts)
      expect(await readFile(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain(rig.key);
  });
});
