/**
 * No plan destroys what could be changed, shown with the real OpenTofu: what other calls of the API change is never a
 * reason to replace a resource, an action changes what only it can, and a real replacement needs a word in the file.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Volume } from '../families/flexible-vps/volumes/schema.ts';
import { lookupName } from '../surfaces/iac/terraform/lookup.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isoUrlFor } from '../testing/iso-server.ts';
import {
  idOf,
  model,
  openRig,
  settingModules,
  succeeding,
  type TerraformRig,
  TIMEOUT_MS,
  using,
  whyNotLong,
  wordsOf,
} from './terraform-rig.ts';
import type { Json } from './terraform-values.ts';

const title = 'a resource of a Terraform module';
const place = { location: 'fra1' };
const selector = 'team=law';

/** Two of what can be attached: one for the modules that attach, and one that others attach. */
const things: Json = {
  vm: using('vm', {
    ...place,
    name: 'db',
    plan: 'flex-1-2',
    vm_source: { type: 'image', image_id: 'debian-12' },
    labels: { team: 'law' },
    // A placement group takes only stopped machines.
    start: false,
  }),
  volume: using('volume', { ...place, name: 'data', size_gb: 20 }),
  volume_by_hand: using('volume', { ...place, name: 'more', size_gb: 20 }),
  firewall: using('firewall', { name: 'web' }),
  firewall_by_hand: using('firewall', { name: 'office' }),
  backup_policy: using('backup_policy', {
    ...model.resources.find(({ name }) => name === 'backup_policy')?.example,
    name: 'nightly',
  }),
  placement_group: using('placement_group', { ...place, name: 'apart' }),
};

const lookups: Json = Object.fromEntries(
  model.lookups.map((lookup) => [lookupName(lookup), using(lookupName(lookup), {})]),
);

describe.skipIf(whyNotLong !== null)(whyNotLong === null ? title : `${title}: ${whyNotLong}`, () => {
  let rig: TerraformRig;
  let modules: Json;

  /** The modules with other inputs of one of them. */
  const having = (module: string, inputs: Json): Json => ({
    ...modules,
    [module]: { ...(modules[module] as Json), ...inputs },
  });
  const volumeOf = async (module: string): Promise<Volume> =>
    (await rig.owner.send('GET', `volumes/${await rig.idIn(module)}`)).json<Volume>();

  beforeAll(async () => {
    rig = await openRig();
    modules = {
      ...things,
      ...settingModules,
      iso: using('iso', { name: 'installer', url: await isoUrlFor(rig.app) }),
      firewall_attachment: using('firewall_attachment', {
        firewall_id: idOf('firewall'),
        target: { type: 'vm', id: idOf('vm') },
      }),
    };
    // One initialisation serves the copy, too.
    await rig.file.writeModules({ ...modules, ...lookups });
    await rig.init();
    await rig.file.writeModules(modules);
  }, TIMEOUT_MS);

  afterAll(() => rig?.close());

  it(
    'is attached by modules of their own, which have an empty plan without changes',
    async () => {
      await succeeding(rig.apply());
      const { owner, idIn } = rig;
      const vm = await owner.readVm(await idIn('vm'));
      expect(vm).toMatchObject({
        volume_ids: [await idIn('volume')],
        firewall_ids: [expect.any(String)],
        backup_policy_id: await idIn('backup_policy'),
        placement_group_id: await idIn('placement_group'),
        iso: { iso_id: await idIn('iso') },
      });
      await succeeding(rig.plan());
    },
    TIMEOUT_MS,
  );

  it(
    'is not replaced if others attach, resize, grow or rename it',
    async () => {
      const { owner, idIn } = rig;
      const vm = await idIn('vm');
      await owner.do('POST', `volumes/${await idIn('volume_by_hand')}/actions`, {
        type: 'attach',
        vm_id: vm,
      });
      const target = { type: 'label_selector', selector };
      await owner.do('POST', `firewalls/${await idIn('firewall_by_hand')}/attachments`, { target });
      await succeeding(rig.plan());

      await owner.do('POST', `vms/${vm}/resize`, { plan: 'flex-2-4' });
      await owner.do('PATCH', `vms/${vm}`, { name: 'renamed' });
      await owner.do('POST', `volumes/${await idIn('volume_by_hand')}/actions`, {
        type: 'resize',
        size_gb: 30,
      });
      await owner.do('POST', `volumes/${await idIn('volume')}/actions`, { type: 'detach' });
      const { output } = await rig.plan();
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
      await rig.file.writeModules(modules);
      const { output } = await succeeding(rig.apply());
      expect(output).toContain('Resources: 0 added, 3 changed, 0 destroyed.');
      // What the plan shows of the change is the change.
      const [, shown = ''] =
        /# module\.vm\.restful_resource\.this will be([\s\S]*?)\n {4}\}/.exec(output) ?? [];
      expect(shown).toContain('labels');
      expect(shown).not.toMatch(/poll_|_header|Prefer/);
      const after = await volumeOf('volume');
      expect(after).toMatchObject({ id: before.id, size_gb: 40, vm_id: await rig.idIn('vm') });
    },
    TIMEOUT_MS,
  );

  it(
    'is replaced for a value that cannot be changed only if the configuration allows it',
    async () => {
      await rig.file.writeModules(having('vm', { location: 'ams1' }));
      const refused = await rig.plan();
      expect(refused.code, refused.output).toBe(1);
      const said = wordsOf(refused);
      expect(said).toContain('Nothing can change location of this vm');
      expect(said).toContain('Deletes the machine and its snapshots.');
      expect(said).toContain('set allow_replacement = true');

      await rig.file.writeModules(having('vm', { location: 'ams1', allow_replacement: true }));
      const allowed = await rig.plan();
      expect(allowed.code, allowed.output).toBe(2);
      expect(allowed.output).toContain('module.vm.restful_resource.this must be replaced');
    },
    TIMEOUT_MS,
  );

  it(
    'is found by its name, can be imported with one line, and refusals are readable',
    async () => {
      const copy = await rig.file.copyTo(join(rig.folder, 'found'));
      const { backup_policy } = modules;
      const id = `\${format(module.backup_policy.import_as, module.find_backup_policy.ids["nightly"])}`;
      const to = 'module.backup_policy.restful_resource.this';
      await copy.writeModules({ backup_policy, ...lookups }, { import: [{ to, id }] });
      const found = await succeeding(rig.run(copy, 'plan'));
      expect(found.output).toMatch(/Plan: 1 to import, \d to add, 1 to change, 0 to destroy/);

      await copy.writeModules({ backup_policy });
      const refused = await rig.apply(copy);
      expect(refused.code).toBe(1);
      const said = wordsOf(refused);
      expect(said).toContain('Name already used (name_taken) The backup policy');
      expect(said).toContain('Choose another name');
      expect(said).not.toContain('"next_step"');
    },
    TIMEOUT_MS,
  );

  it(
    'is detached before it is destroyed, also where others attached it',
    async () => {
      await rig.file.writeModules(modules);
      await succeeding(rig.destroy());
      expect(await inventoryOf(rig.app, rig.owner.key)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
