/**
 * No plan destroys what could be changed, shown with the real OpenTofu: what other calls of the API change is never a
 * reason to replace a resource, an action changes what only it can, and a real replacement needs a word in the file.
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Volume } from '../families/flexible-vps/volumes/schema.ts';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { iacOf } from '../surfaces/iac/files.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { lookupName } from '../surfaces/iac/terraform/lookup.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isoUrlFor } from '../testing/iso-server.ts';
import { isLong } from '../testing/long-form.ts';
import { noLimit } from '../testing/no-limit.ts';
import { Front } from '../testing/terraform/front.ts';
import { type Ran, Tofu, whyNoTofu } from '../testing/terraform/tofu.ts';
import { VpsAccount } from '../testing/vps.ts';
import { Configuration } from './terraform-configuration.ts';
import type { Json } from './terraform-values.ts';

const document = exampleDocument(buildRegistry(families));
const model = iacModel(document);
const title = 'a resource of a Terraform module';
const TIMEOUT_MS = 1_800_000;
const place = { location: 'fra1' };
const selector = 'team=law';

const idOf = (module: string): string => `\${module.${module}.id}`;
const sourced = (module: string, inputs: Json): Json => ({
  source: `./terraform/modules/${module}`,
  ...inputs,
});

/** Two of what can be attached: one for the modules that attach, and one that others attach. */
const things: Json = {
  vm: sourced('vm', {
    ...place,
    name: 'db',
    plan: 'flex-1-2',
    vm_source: { type: 'image', image_id: 'debian-12' },
    labels: { team: 'law' },
    // A placement group takes only stopped machines.
    start: false,
  }),
  volume: sourced('volume', { ...place, name: 'data', size_gb: 20 }),
  volume_by_hand: sourced('volume', { ...place, name: 'more', size_gb: 20 }),
  firewall: sourced('firewall', { name: 'web' }),
  firewall_by_hand: sourced('firewall', { name: 'office' }),
  backup_policy: sourced('backup_policy', {
    ...model.resources.find(({ name }) => name === 'backup_policy')?.example,
    name: 'nightly',
  }),
  placement_group: sourced('placement_group', { ...place, name: 'apart' }),
};

const lookups: Json = Object.fromEntries(
  model.lookups.map((lookup) => [lookupName(lookup), sourced(lookupName(lookup), {})]),
);

/** Ten runs of OpenTofu take minutes where it is emulated; `terraform-changes.test.ts` is the short form. */
const whyNot = whyNoTofu ?? (isLong ? null : 'only npm test -- --all runs it');

describe.skipIf(whyNot !== null)(whyNot === null ? title : `${title}: ${whyNot}`, () => {
  let app: TestApp;
  let owner: VpsAccount;
  let front: Front;
  let folder: string;
  let tofu: Tofu;
  let file: Configuration;
  let modules: Json;

  const run = (...args: string[]): Promise<Ran> =>
    tofu.run(file.folder, ...args, '-no-color', '-input=false');
  const plan = (): Promise<Ran> => run('plan', '-detailed-exitcode');
  const apply = (): Promise<Ran> => run('apply', '-auto-approve');
  /** The modules with other inputs of one of them. */
  const having = (module: string, inputs: Json): Json => ({
    ...modules,
    [module]: { ...(modules[module] as Json), ...inputs },
  });
  const idIn = async (module: string): Promise<string> => {
    const { id = '' } = (await file.state())[module] ?? {};
    return id.slice(id.lastIndexOf('/') + 1);
  };
  const volumeOf = async (module: string): Promise<Volume> =>
    (await owner.send('GET', `volumes/${await idIn(module)}`)).json<Volume>();

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    app = await createTestApp({ works: true, limiter: noLimit });
    await app.app.listen({ host: '127.0.0.1', port: 0 });
    front = await Front.open((app.app.server.address() as AddressInfo).port, app.services.baseUrl);
    owner = await VpsAccount.open(app);
    const parts = [...model.resources, ...model.attachments, ...model.settings];
    const permissions = [
      ...new Set([
        ...parts.flatMap((part) => part.permissions),
        ...model.lookups.map(({ permission }) => permission),
      ]),
    ];
    const { key } = await createKey(app.services.db, owner.account, { permissions });
    tofu = await Tofu.open(folder, { TF_VAR_hostplane_api_key: key, TF_VAR_hostplane_url: front.url });
    file = await Configuration.make(join(folder, 'drift'), iacOf(document, 'law').files);
    const settings = model.settings.map(({ name, of, member }) => {
      const target = model.lists[member.ref?.list ?? ''] ?? '';
      return [name, sourced(name, { [`${of.name}_id`]: idOf(of.name), [member.name]: idOf(target) })];
    });
    modules = {
      ...things,
      iso: sourced('iso', { name: 'installer', url: await isoUrlFor(app) }),
      firewall_attachment: sourced('firewall_attachment', {
        firewall_id: idOf('firewall'),
        target: { type: 'vm', id: idOf('vm') },
      }),
      ...Object.fromEntries(settings),
    };
    // One initialisation serves the copy, too.
    await file.writeModules({ ...modules, ...lookups });
    const { code, output } = await run('init');
    expect(code, output).toBe(0);
    await file.writeModules(modules);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await front?.close();
    await app?.close();
    if (folder !== undefined) await removeTemporaryFolder(folder);
  });

  it(
    'is attached by modules of their own, which have an empty plan without changes',
    async () => {
      const made = await apply();
      expect(made.code, made.output).toBe(0);
      const vm = await owner.readVm(await idIn('vm'));
      expect(vm).toMatchObject({
        volume_ids: [await idIn('volume')],
        firewall_ids: [expect.any(String)],
        backup_policy_id: await idIn('backup_policy'),
        placement_group_id: await idIn('placement_group'),
        iso: { iso_id: await idIn('iso') },
      });
      const { code, output } = await plan();
      expect(code, output).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'is not replaced if others attach, resize, grow or rename it',
    async () => {
      const vm = await idIn('vm');
      await owner.do('POST', `volumes/${await idIn('volume_by_hand')}/actions`, {
        type: 'attach',
        vm_id: vm,
      });
      const target = { type: 'label_selector', selector };
      await owner.do('POST', `firewalls/${await idIn('firewall_by_hand')}/attachments`, { target });
      const attached = await plan();
      expect(attached.code, attached.output).toBe(0);

      await owner.do('POST', `vms/${vm}/resize`, { plan: 'flex-2-4' });
      await owner.do('PATCH', `vms/${vm}`, { name: 'renamed' });
      await owner.do('POST', `volumes/${await idIn('volume_by_hand')}/actions`, {
        type: 'resize',
        size_gb: 30,
      });
      await owner.do('POST', `volumes/${await idIn('volume')}/actions`, { type: 'detach' });
      const { output } = await plan();
      expect(output).toContain('module.vm.restful_resource.this will be updated in-place');
      expect(output).toContain('module.volume_attachment.restful_resource.this will be updated in-place');
      expect(output).toContain('Plan: 0 to add, 2 to change, 0 to destroy.');
    },
    TIMEOUT_MS,
  );

  it(
    'is changed by its action, and drift is corrected, in one apply that destroys nothing',
    async () => {
      const before = await volumeOf('volume');
      modules = having('volume', { size_gb: 40 });
      modules = having('vm', { labels: { team: 'other' } });
      await file.writeModules(modules);
      const { code, output } = await apply();
      expect(code, output).toBe(0);
      expect(output).toContain('Resources: 0 added, 3 changed, 0 destroyed.');
      // What the plan shows of the change is the change.
      const [, shown = ''] =
        /# module\.vm\.restful_resource\.this will be([\s\S]*?)\n {4}\}/.exec(output) ?? [];
      expect(shown).toContain('labels');
      expect(shown).not.toMatch(/poll_|_header|Prefer/);
      const after = await volumeOf('volume');
      expect(after).toMatchObject({ id: before.id, size_gb: 40, vm_id: await idIn('vm') });
    },
    TIMEOUT_MS,
  );

  it(
    'is replaced for a value that cannot be changed only if the configuration allows it',
    async () => {
      await file.writeModules(having('vm', { location: 'ams1' }));
      const refused = await plan();
      expect(refused.code, refused.output).toBe(1);
      const said = refused.output.replaceAll(/[\s│]+/g, ' ');
      expect(said).toContain('Nothing can change location of this vm');
      expect(said).toContain('Deletes the VM and its snapshots.');
      expect(said).toContain('set allow_replacement = true');

      await file.writeModules(having('vm', { location: 'ams1', allow_replacement: true }));
      const allowed = await plan();
      expect(allowed.code, allowed.output).toBe(2);
      expect(allowed.output).toContain('module.vm.restful_resource.this must be replaced');
    },
    TIMEOUT_MS,
  );

  it(
    'is found by its name, can be imported with one line, and refusals are readable',
    async () => {
      const copy = await file.copyTo(join(folder, 'found'));
      const { backup_policy } = modules;
      const id = `\${format(module.backup_policy.import_as, module.find_backup_policy.ids["nightly"])}`;
      const to = 'module.backup_policy.restful_resource.this';
      await copy.writeModules({ backup_policy, ...lookups }, { import: [{ to, id }] });
      const found = await tofu.run(copy.folder, 'plan', '-no-color', '-input=false');
      expect(found.code, found.output).toBe(0);
      expect(found.output).toMatch(/Plan: 1 to import, \d to add, 1 to change, 0 to destroy/);

      await copy.writeModules({ backup_policy });
      const refused = await tofu.run(copy.folder, 'apply', '-auto-approve', '-no-color', '-input=false');
      expect(refused.code).toBe(1);
      const said = refused.output.replaceAll(/[\s│]+/g, ' ');
      expect(said).toContain('Name already used (name_taken) The backup policy');
      expect(said).toContain('Choose another name');
      expect(said).not.toContain('"next_step"');
    },
    TIMEOUT_MS,
  );

  it(
    'is detached before it is destroyed, also where others attached it',
    async () => {
      await file.writeModules(modules);
      const gone = await run('destroy', '-auto-approve');
      expect(gone.code, gone.output).toBe(0);
      expect(await inventoryOf(app, owner.key)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
