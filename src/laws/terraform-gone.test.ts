/**
 * What happens behind the back of Terraform, shown with the real OpenTofu, which knows no resource identities: what others
 * have deleted or disconnected is made again or destroyed without an error, and an operation that fails after the call was
 * answered says why in words.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault } from '../engines/compute/sandbox/store.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isoUrlFor } from '../testing/iso-server.ts';
import { settle } from '../testing/operations.ts';
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

const title = 'a Terraform module';
const place = { location: 'fra1' };
const exampleOf = (name: string): Json | undefined =>
  model.resources.find((resource) => resource.name === name)?.example;

/** What can be connected, and one resource that is read by its name in a list. */
const things: Json = {
  vm: using('vm', {
    ...place,
    name: 'db',
    plan: 'flex-1-2',
    vm_source: { type: 'image', image_id: 'debian-12' },
    // A placement group takes only stopped machines.
    start: false,
  }),
  volume: using('volume', { ...place, name: 'data', size_gb: 20 }),
  firewall: using('firewall', { name: 'web' }),
  network: using('network', { ...place, name: 'inside', ipv4_cidr: '10.50.0.0/24' }),
  backup_policy: using('backup_policy', { ...exampleOf('backup_policy'), name: 'nightly' }),
  placement_group: using('placement_group', { ...place, name: 'apart' }),
  budget: using('budget', { ...exampleOf('budget'), name: 'all' }),
};

/** Each module that connects two resources. Those that are a part of one of them have a reference to the other. */
const connections = [
  ...model.settings,
  ...model.attachments,
  ...model.resources.filter(
    ({ name, parent, inputs }) =>
      parent !== undefined &&
      !model.attachments.some((each) => each.name === name) &&
      inputs.some(({ ref, required }) => required && ref !== undefined),
  ),
];

describe.skipIf(whyNotLong !== null)(whyNotLong === null ? title : `${title}: ${whyNotLong}`, () => {
  let rig: TerraformRig;
  let modules: Json;

  /** Calls the API as another program would, without the knowledge of OpenTofu. */
  async function byHand(method: 'DELETE' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: Json) {
    const { app, owner } = rig;
    const answer = await app.call({ method, url, key: owner.key, ...(payload && { payload }) });
    expect(answer.statusCode, `${method} ${url} ${answer.body}`).toBeLessThan(300);
    await settle(app);
  }

  async function deleteByHand(...names: string[]): Promise<void> {
    const state = await rig.file.state();
    for (const name of names) {
      const { delete: removal, isDeclared } = model.resources.find((each) => each.name === name) ?? {};
      const { id = '' } = state[name] ?? {};
      const query = removal?.detaches ? '?detach=true' : '';
      await byHand('DELETE', `${id}${isDeclared ? '/all' : ''}${query}`);
    }
  }

  /** Undoes each connection with the call that its module undoes it with. */
  async function disconnectByHand(): Promise<void> {
    const state = await rig.file.state();
    const filled = async (path: string, own: string, id: unknown): Promise<string> =>
      path.replace('{id}', await rig.idIn(own)).replace(/\{\w+\}/, String(id));
    for (const each of connections) {
      if ('clear' in each) {
        const url = await filled(each.call.path, each.of.name, '');
        await byHand(each.call.method as 'PUT', url, each.clear);
      } else {
        const { delete: removal, parent, name, key } = each;
        const known = state[name]?.output[key] ?? (modules[name] as Json)[key];
        await byHand('DELETE', await filled(removal.path, parent?.name ?? '', known));
      }
    }
  }

  /** One apply makes everything whole again, and the plan after it is empty. */
  async function expectMadeAgain(): Promise<void> {
    const before = Object.keys(await rig.file.state());
    await succeeding(rig.apply());
    expect(Object.keys(await rig.file.state()).sort()).toEqual(before.sort());
    await succeeding(rig.plan());
  }

  beforeAll(async () => {
    rig = await openRig();
    const { owner, app } = rig;
    modules = {
      ...things,
      ...settingModules,
      iso: using('iso', { name: 'installer', url: await isoUrlFor(app) }),
      firewall_attachment: using('firewall_attachment', {
        firewall_id: idOf('firewall'),
        target: { type: 'vm', id: idOf('vm') },
      }),
      interface: using('interface', { vm_id: idOf('vm'), network_id: idOf('network') }),
      vm_public_ip: using('vm_public_ip', { vm_id: idOf('vm'), ip_id: (await owner.reserveAddress()).id }),
    };
    expect(Object.keys(modules)).toEqual(expect.arrayContaining(connections.map(({ name }) => name)));
    await rig.file.writeModules(modules);
    await rig.init();
    await succeeding(rig.apply());
  }, TIMEOUT_MS);

  afterAll(() => rig?.close());

  it(
    'connects again what others have disconnected',
    async () => {
      await disconnectByHand();
      await expectMadeAgain();
    },
    TIMEOUT_MS,
  );

  it(
    'makes the machine again that others have deleted, and connects it as before',
    async () => {
      const before = await rig.idIn('vm');
      await deleteByHand('vm');
      await expectMadeAgain();
      expect(await rig.idIn('vm')).not.toBe(before);
    },
    TIMEOUT_MS,
  );

  it(
    'makes again what was connected to a machine, and connects it as before',
    async () => {
      await deleteByHand('volume', 'firewall', 'backup_policy');
      await expectMadeAgain();
    },
    TIMEOUT_MS,
  );

  it(
    'makes everything again, or destroys it, if others have deleted everything',
    async () => {
      await deleteByHand('vm', 'volume', 'firewall', 'backup_policy', 'placement_group', 'iso', 'network');
      await deleteByHand('budget');
      expect(await inventoryOf(rig.app, rig.owner.key)).toEqual([]);
      const copy = await rig.file.copyTo(join(rig.folder, 'copy'));
      await cp(join(rig.file.folder, 'terraform.tfstate'), join(copy.folder, 'terraform.tfstate'));
      await succeeding(rig.destroy(copy));
      await expectMadeAgain();
    },
    TIMEOUT_MS,
  );

  it.each([
    ['volume', { size_gb: 30 }, 'ensureVolumeSize', 'data'],
    ['vm', { plan: 'flex-2-4' }, 'ensureSize', 'db'],
  ] as const)(
    'says in words why the change of a %s has failed, and what to do next',
    async (module, change, call, name) => {
      const effect = { kind: 'fail', code: 'engine_failed', detail: 'The disk is broken.' } as const;
      await addFault(rig.app.services.db, { call, times: 50, effect });
      await rig.file.writeModules({ ...modules, [module]: { ...(modules[module] as Json), ...change } });
      const failed = await rig.apply();
      expect(failed.code, failed.output).toBe(1);
      const said = new RegExp(
        `The operation \\S+ of ${name} has failed \\(engine_failed\\) The disk is broken\\.`,
      );
      expect(wordsOf(failed)).toMatch(said);
      expect(failed.output).not.toContain('"error"');
    },
    TIMEOUT_MS,
  );

  it(
    'destroys the rest if others have deleted or disconnected a part',
    async () => {
      await rig.file.writeModules(modules);
      await disconnectByHand();
      await deleteByHand('vm', 'budget');
      await succeeding(rig.destroy());
      expect(await inventoryOf(rig.app, rig.owner.key)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
