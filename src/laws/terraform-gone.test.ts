/**
 * What happens behind the back of Terraform, shown with the real OpenTofu, which knows no resource identities: what others
 * have deleted is made again, and an operation that fails after the call was answered says why in words.
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault } from '../engines/compute/sandbox/store.ts';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { iacOf } from '../surfaces/iac/files.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { inventoryOf } from '../testing/inventory.ts';
import { isLong } from '../testing/long-form.ts';
import { noLimit } from '../testing/no-limit.ts';
import { settle } from '../testing/operations.ts';
import { Front } from '../testing/terraform/front.ts';
import { type Ran, Tofu, whyNoTofu } from '../testing/terraform/tofu.ts';
import { VpsAccount } from '../testing/vps.ts';
import { Configuration } from './terraform-configuration.ts';
import type { Json } from './terraform-values.ts';

const document = exampleDocument(buildRegistry(families));
const model = iacModel(document);
const title = 'a Terraform module';
const TIMEOUT_MS = 1_800_000;

const idOf = (module: string): string => `\${module.${module}.id}`;
const using = (module: string, inputs: Json): Json => ({
  source: `./terraform/modules/${module}`,
  ...inputs,
});

/** One of each way to read: by its id, in the list of a parent, by its name in a list, and as a member of another. */
const modules: Json = {
  vm: using('vm', {
    name: 'db',
    location: 'fra1',
    plan: 'flex-1-2',
    vm_source: { type: 'image', image_id: 'debian-12' },
    ssh_key_ids: [],
  }),
  volume: using('volume', { name: 'data', location: 'fra1', size_gb: 20 }),
  volume_attachment: using('volume_attachment', { volume_id: idOf('volume'), vm_id: idOf('vm') }),
  firewall: using('firewall', { name: 'web' }),
  firewall_attachment: using('firewall_attachment', {
    firewall_id: idOf('firewall'),
    target: { type: 'vm', id: idOf('vm') },
  }),
  budget: using('budget', { ...model.resources.find(({ name }) => name === 'budget')?.example, name: 'all' }),
};

/** Runs of OpenTofu take minutes where it is emulated; `terraform-changes.test.ts` is the short form. */
const whyNot = whyNoTofu ?? (isLong ? null : 'only npm test -- --all runs it');

describe.skipIf(whyNot !== null)(whyNot === null ? title : `${title}: ${whyNot}`, () => {
  let app: TestApp;
  let owner: VpsAccount;
  let front: Front;
  let folder: string;
  let tofu: Tofu;
  let file: Configuration;

  const run = (...args: string[]): Promise<Ran> =>
    tofu.run(file.folder, ...args, '-no-color', '-input=false');
  const apply = (): Promise<Ran> => run('apply', '-auto-approve');
  const said = ({ output }: Ran): string => output.replaceAll(/[\s│]+/g, ' ');

  /** Deletes it as another program would, without the knowledge of OpenTofu. */
  async function deleteByHand(...names: string[]): Promise<void> {
    const state = await file.state();
    for (const name of names) {
      const { id = '' } = state[name] ?? {};
      const url = name === 'budget' ? `${id}/all` : `${id}?detach=true`;
      const { statusCode, body } = await app.call({ method: 'DELETE', url, key: owner.key });
      expect(statusCode, body).toBeLessThan(300);
      await settle(app);
    }
  }

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    app = await createTestApp({ works: true, limiter: noLimit });
    await app.app.listen({ host: '127.0.0.1', port: 0 });
    front = await Front.open((app.app.server.address() as AddressInfo).port, app.services.baseUrl);
    owner = await VpsAccount.open(app);
    const parts = [...model.resources, ...model.attachments, ...model.settings];
    const permissions = [...new Set(parts.flatMap((part) => part.permissions))];
    const { key } = await createKey(app.services.db, owner.account, { permissions });
    tofu = await Tofu.open(folder, { TF_VAR_hostplane_api_key: key, TF_VAR_hostplane_url: front.url });
    file = await Configuration.make(join(folder, 'gone'), iacOf(document, 'law').files);
    await file.writeModules(modules);
    const { code, output } = await run('init');
    expect(code, output).toBe(0);
    const made = await apply();
    expect(made.code, made.output).toBe(0);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await front?.close();
    await app?.close();
    if (folder !== undefined) await removeTemporaryFolder(folder);
  });

  it(
    'makes again what others have deleted, and has nothing to do then',
    async () => {
      const before = await file.state();
      await deleteByHand('budget', 'volume', 'vm', 'firewall');
      expect(await inventoryOf(app, owner.key)).toEqual([]);
      const again = await apply();
      expect(again.code, again.output).toBe(0);
      const after = await file.state();
      expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
      expect(after['vm']?.id).not.toBe(before['vm']?.id);
      const { code, output } = await run('plan', '-detailed-exitcode');
      expect(code, output).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'says in words why an operation has failed, and what to do next',
    async () => {
      const effect = { kind: 'fail', code: 'engine_failed', detail: 'The disk is broken.' } as const;
      await addFault(app.services.db, { call: 'ensureVolumeSize', times: 50, effect });
      await file.writeModules({ ...modules, volume: { ...(modules['volume'] as Json), size_gb: 30 } });
      const failed = await apply();
      expect(failed.code, failed.output).toBe(1);
      expect(said(failed)).toMatch(
        /The operation \S+ of data has failed \(engine_failed\) The disk is broken\./,
      );
      expect(failed.output).not.toContain('"error"');
    },
    TIMEOUT_MS,
  );

  it(
    'destroys the rest if others have deleted a part',
    async () => {
      await file.writeModules(modules);
      await deleteByHand('vm', 'budget');
      const gone = await run('destroy', '-auto-approve');
      expect(gone.code, gone.output).toBe(0);
      expect(await inventoryOf(app, owner.key)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
