/**
 * What every Terraform module promises, shown with the real OpenTofu and the real provider: all modules are in one
 * configuration, because starting OpenTofu takes longer than what it does.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault } from '../engines/sandbox/store.ts';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import type { Call } from '../surfaces/iac/calls.ts';
import { iacOf } from '../surfaces/iac/files.ts';
import type { ManagedResource } from '../surfaces/iac/managed.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { moduleInputs, needsPermission } from '../surfaces/iac/terraform/variables.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isoUrlFor } from '../testing/iso-server.ts';
import { isLong } from '../testing/long-form.ts';
import { noLimit } from '../testing/no-limit.ts';
import { settle } from '../testing/operations.ts';
import { Front, type Seen } from '../testing/terraform/front.ts';
import { type Ran, Tofu, whyNoTofu } from '../testing/terraform/tofu.ts';
import { VpsAccount } from '../testing/vps.ts';
import { Configuration } from './terraform-configuration.ts';
import { differing, type Instance, type Json, untried, Values } from './terraform-values.ts';

const document = exampleDocument(buildRegistry(families));
const { resources } = iacModel(document);
const title = 'the Terraform modules';
/** OpenTofu takes a tenth of this, unless the machine is busy. */
const TIMEOUT_MS = 1_800_000;
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
  let app: TestApp;
  let owner: VpsAccount;
  let key: string;
  let front: Front;
  let folder: string;
  let tofu: Tofu;
  let values: Values;
  let all: Configuration;
  let instances: readonly Instance[];
  const printed: string[] = [];

  const run = async (place: Configuration, ...args: string[]): Promise<Ran> => {
    const ran = await tofu.run(place.folder, ...args, '-no-color');
    printed.push(ran.output);
    return ran;
  };
  const apply = (place: Configuration): Promise<Ran> => run(place, 'apply', '-auto-approve', '-input=false');
  const destroy = (place: Configuration): Promise<Ran> =>
    run(place, 'destroy', '-auto-approve', '-input=false');
  const plan = (place: Configuration): Promise<Ran> =>
    run(place, 'plan', '-detailed-exitcode', '-input=false');
  const read = async (url: string): Promise<Json> => (await owner.app.call({ url, key: owner.key })).json();

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    app = await createTestApp({ works: true, limiter: noLimit });
    await app.app.listen({ host: '127.0.0.1', port: 0 });
    front = await Front.open((app.app.server.address() as AddressInfo).port, app.services.baseUrl);
    owner = await VpsAccount.open(app);
    // All that the READMEs ask for, and nothing else.
    const permissions = [...new Set(resources.flatMap((resource) => resource.permissions))];
    ({ key } = await createKey(app.services.db, owner.account, { permissions }));
    tofu = await Tofu.open(folder, {
      TF_VAR_hostplane_api_key: key,
      TF_VAR_hostplane_url: front.url,
      // What the provider does, since it makes the requests; the log of OpenTofu itself takes most of its time.
      TF_LOG_PROVIDER: 'INFO',
      TF_LOG_PATH: join(folder, 'tofu.log'),
    });
    all = await Configuration.make(join(folder, 'all'), iacOf(document, 'law').files);
    values = new Values(resources, read);
    // No call reserves an address yet, so no list has one, and no list has the URL of an ISO.
    const given: Readonly<Record<string, Json>> = {
      vm_public_ip: { ip_id: (await owner.reserveAddress()).id },
      iso: { url: await isoUrlFor(app) },
    };
    instances = (await values.instances())
      .filter(({ module, resource }) => !isShort || module === resource.name)
      .map((instance) => ({ ...instance, body: { ...instance.body, ...given[instance.module] } }));
    // One initialisation serves all: the copies of this folder use the same modules. Only the long form makes scenarios.
    await all.write(instances, isShort ? {} : { others: all.scenarios });
    const { code, output } = await run(all, 'init');
    expect(code, output).toBe(0);
    await all.write(instances);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await front?.close();
    await app?.close();
    if (folder !== undefined) await removeTemporaryFolder(folder);
  });

  it(
    'are formatted like tofu fmt does',
    async () => {
      const formatting = ['fmt', '-check', '-diff', '-recursive', 'terraform'];
      const { code, output } = await tofu.run(all.folder, ...formatting);
      expect(code, output).toBe(0);
    },
    TIMEOUT_MS,
  );

  inLongForm(
    'make whole scenarios; what a failed creation left out is made by the next try, and all of it is destroyed',
    async () => {
      const scenarios = await all.copyTo(join(folder, 'scenarios'));
      await scenarios.writeModules(scenarios.scenarios);
      const effect = { kind: 'fail', code: 'engine_failed', detail: 'The disk is broken.' } as const;
      for (const call of ['ensureInstance', 'ensureNetwork'] as const)
        await addFault(app.services.db, { call, times: 1, effect });
      const failed = await apply(scenarios);
      expect(failed.code).not.toBe(0);
      expect(failed.output.match(/\(create_failed\)/g)?.length, failed.output).toBeGreaterThan(1);
      const made = await apply(scenarios);
      expect(made.code, made.output).toBe(0);
      const same = await plan(scenarios);
      expect(same.code, same.output).toBe(0);
      const gone = await destroy(scenarios);
      expect(gone.code, gone.output).toBe(0);
      expect(await inventoryOf(app, owner.key)).toEqual([]);
    },
  );

  it(
    'create every resource, a machine with three requests, and store no password that is shown once',
    async () => {
      front.taken();
      const made = await apply(all);
      expect(made.code, made.output).toBe(0);
      const modules = instances.map(({ module }) => module);
      expect(Object.keys(await all.state()).sort()).toEqual(modules.sort());

      const requests = front.taken();
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
      const state = await readFile(join(all.folder, 'terraform.tfstate'), 'utf8');
      expect(passwords.filter((password) => state.includes(password))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  inLongForm(
    'have nothing to do then, and refuse to replace what holds something for inputs that cannot be changed',
    async () => {
      const replaced = await all.copyTo(join(folder, 'replaced'));
      const plain = instances.filter(({ module, resource }) => module === resource.name);
      const names = await replaced.writeReplacements(plain, all);
      const { output } = await plan(replaced);
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

      await all.write(instances);
      front.taken();
      const changed = await apply(all);
      const requests = front.taken();
      const byActions = tried.flat().filter((name) => actionFor(name) !== undefined);
      const byUpdates = tried.flat().filter((name) => actionFor(name) === undefined);
      expect(unsent(byUpdates, requests, ({ update, create }) => update ?? create)).toEqual([]);
      for (const name of byActions)
        expect(unsent([name], requests, (resource) => actionFor(name) ?? resource.create)).toEqual([]);
      const touched = tried.filter((names) => names.length > 0).length + byActions.length;
      expect(changed.output).toContain(`Resources: 0 added, ${touched} changed, 0 destroyed`);

      front.taken();
      front.refusals = 1;
      const { code, output } = await plan(all);
      expect(code, output).toBe(0);
      const seen = front.taken();
      // The refused request is repeated.
      expect(seen.map(({ status }) => status).sort()).toEqual([...instances.map(() => 200), 429]);
      expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);

      // What the API does not show was sent, too.
      const state = await all.state();
      const { user_data } = instances.find(({ module }) => module === 'vm')?.body ?? {};
      const hash = createHash('sha256').update(String(user_data)).digest('hex');
      expect(await read(state['vm']?.id ?? '')).toMatchObject({ user_data_sha256: hash });
      expect(state['webhook_signed']?.output).toMatchObject({ secret_version: 2 });
    },
  );

  inLongForm(
    'take what exists into an empty state, see only what others change then, and destroy all of it',
    async () => {
      const state = await all.state();
      const taken = await all.copyTo(join(folder, 'imported'));
      await taken.write(instances, { known: state });
      front.taken();
      const imported = await apply(taken);
      // Beside the resource, a module remembers what only a new one can have, and calls each action once for nothing.
      const added = instances.flatMap(({ resource }) => [
        ...(needsPermission(resource) ? [resource.name] : []),
        ...moduleInputs(resource).flatMap(({ action, name }) => (action === undefined ? [] : [name])),
      ]);
      expect(imported.output).toContain(`Resources: ${instances.length} imported, ${added.length} added`);
      const acts = front.taken().filter(({ method }) => method === 'POST' || method === 'DELETE');
      expect(acts.filter(({ path }) => !path.endsWith('/actions'))).toEqual([]);

      const at = (name: string): string => state[name]?.id ?? '';
      const by = { key: owner.key };
      const payload = { description: 'by hand' };
      expect((await app.call({ ...by, method: 'PATCH', url: at('network'), payload })).statusCode).toBe(202);
      expect((await app.call({ ...by, method: 'DELETE', url: at('ssh_key') })).statusCode).toBe(204);
      const { output } = await plan(taken);
      expect(output).toContain('module.network.restful_resource.this will be updated in-place');
      expect(output).toContain('module.ssh_key.restful_resource.this must be replaced');
      // Nothing else: the import had left nothing to do.
      expect(output).toContain('Plan: 1 to add, 1 to change, 1 to destroy.');

      // The changes before have protected whatever can be protected.
      const unprotected = { protection: { delete: false } };
      for (const { module } of instances.filter(({ body }) => body['protection'] !== undefined))
        expect(
          (await app.call({ ...by, method: 'PATCH', url: at(module), payload: unprotected })).statusCode,
        ).toBeLessThan(300);
      await settle(app);
      const gone = await destroy(taken);
      expect(gone.code, gone.output).toBe(0);
      expect(await inventoryOf(app, owner.key)).toEqual([]);
    },
  );

  it.runIf(isShort)(
    'have an empty plan afterwards, and leave nothing when they are destroyed',
    async () => {
      const { code, output } = await plan(all);
      expect(code, output).toBe(0);
      // The plan has just looked at everything.
      const gone = await run(all, 'destroy', '-auto-approve', '-input=false', '-refresh=false');
      expect(gone.code, gone.output).toBe(0);
      expect(await inventoryOf(app, owner.key)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('never write or print the key, and never print other secrets', async () => {
    const secrets = instances.flatMap(({ body }) => body['secret'] ?? body['user_data'] ?? []).map(String);
    expect(secrets.length > 0).toBe(!isShort);
    for (const secret of [key, ...secrets])
      expect(printed.filter((text) => text.includes(secret))).toEqual([]);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = files.filter(
      (file) => file.isFile() && /\.(tf|json|hcl|tfstate|backup|log)$/.test(file.name),
    );
    expect(texts.map(({ name }) => name)).toEqual(expect.arrayContaining(['terraform.tfstate', 'tofu.log']));
    for (const file of texts)
      expect(await readFile(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain(key);
  });
});
