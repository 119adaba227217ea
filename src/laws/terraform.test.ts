/**
 * What every Terraform module promises, shown with the real OpenTofu and the real provider: all modules are in one
 * configuration, because starting OpenTofu takes longer than what it does.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault } from '../engines/sandbox/store.ts';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { iacFiles } from '../surfaces/iac/files.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { Front } from '../testing/terraform/front.ts';
import { type Ran, Tofu, whyNoTofu } from '../testing/terraform/tofu.ts';
import { VpsAccount } from '../testing/vps.ts';
import { Configuration } from './terraform-configuration.ts';
import { type Json, replacing, Values } from './terraform-values.ts';

const document = exampleDocument(buildRegistry(families));
const model = iacModel(document);
const { resources } = model;
const title = 'the Terraform modules';
/** OpenTofu takes a tenth of this, unless the machine is busy. */
const TIMEOUT_MS = 1_800_000;
const VMS = '/flexible-vps/v1/vms';

describe.skipIf(whyNoTofu !== null)(whyNoTofu === null ? title : `${title}: ${whyNoTofu}`, () => {
  let app: TestApp;
  let owner: VpsAccount;
  let front: Front;
  let folder: string;
  let tofu: Tofu;
  let all: Configuration;
  const bodies: Record<string, Json> = {};
  const printed: string[] = [];

  const run = async (program: Tofu, place: Configuration, ...args: string[]): Promise<Ran> => {
    const ran = await program.run(place.folder, ...args, '-no-color');
    printed.push(ran.output);
    return ran;
  };
  const apply = (place: Configuration): Promise<Ran> =>
    run(tofu, place, 'apply', '-auto-approve', '-input=false');
  const plan = (place: Configuration, program = tofu): Promise<Ran> =>
    run(program, place, 'plan', '-detailed-exitcode', '-input=false');
  const read = async (url: string): Promise<Json> => (await owner.app.call({ url, key: owner.key })).json();
  const inventory = async (): Promise<unknown[]> =>
    (await read('/account/v1/resources?limit=200'))['data'] as unknown[];

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    app = await createTestApp({ works: true });
    await app.app.listen({ host: '127.0.0.1', port: 0 });
    front = await Front.open((app.app.server.address() as AddressInfo).port, app.services.baseUrl);
    owner = await VpsAccount.open(app);
    tofu = await Tofu.open(folder, { TF_VAR_hostplane_api_key: owner.key, TF_VAR_hostplane_url: front.url });
    all = await Configuration.make(join(folder, 'all'), iacFiles(document, 'law'));
    const values = new Values(resources, read);
    for (const resource of resources) bodies[resource.name] = await values.first(resource);
    // No call reserves an address yet, so no list has one.
    const { id: ip_id } = await owner.reserveAddress();
    bodies['vm_public_ip'] = { ip_id };
    await all.write(resources, bodies);
    const { code, output } = await run(tofu, all, 'init');
    expect(code, output).toBe(0);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await front?.close();
    await app?.close();
    if (folder !== undefined) await removeTemporaryFolder(folder);
  });

  it(
    'are written as tofu fmt writes them',
    async () => {
      const { code, output } = await tofu.run(
        all.folder,
        'fmt',
        '-check',
        '-diff',
        '-recursive',
        'terraform',
      );
      expect(code, output).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'leave nothing when a creation fails, and make everything with the next try, a machine with three requests',
    async () => {
      const effect = { kind: 'fail', code: 'engine_failed', detail: 'The disk is broken.' } as const;
      await addFault(app.services.db, { call: 'ensureInstance', times: 1, effect });
      const failed = await apply(all);
      expect(failed.code).not.toBe(0);
      expect(failed.output).toContain('engine_failed');

      front.taken();
      const made = await apply(all);
      expect(made.code, made.output).toBe(0);
      expect(Object.keys(await all.state()).sort()).toEqual(resources.map(({ name }) => name).sort());

      const requests = front.taken();
      const { id, operation, initial_credentials } = JSON.parse(
        requests.find(({ method, path }) => method === 'POST' && path.startsWith(`${VMS}?`))?.answer ?? '{}',
      ) as { id: string; operation: { id: string } | null; initial_credentials: { password: string } };
      const firstPart = requests.findIndex(({ path }) => path.startsWith(`${VMS}/${id}/`));
      const own = requests
        .slice(0, firstPart)
        .filter(({ path }) => path.startsWith(VMS) || path.endsWith(operation?.id ?? 'none'));
      expect(own.length).toBeLessThanOrEqual(3);
      const state = await readFile(join(all.folder, 'terraform.tfstate'), 'utf8');
      expect(state).not.toContain(initial_credentials.password);
    },
    TIMEOUT_MS,
  );

  it(
    'change each input that can be changed, and then look at each resource once and have nothing to do',
    async () => {
      const values = new Values(resources, read);
      let touched = 0;
      for (const resource of resources) {
        const changes = await values.changed(resource, bodies[resource.name] ?? {});
        if (Object.keys(changes).length > 0) touched++;
        bodies[resource.name] = { ...bodies[resource.name], ...changes };
      }
      await all.write(resources, bodies);
      const changed = await apply(all);
      // Nothing but what was changed: the creation had left nothing to do.
      expect(changed.output).toContain(`Resources: 0 added, ${touched} changed, 0 destroyed`);

      front.taken();
      front.refusals = 1;
      const { code, output } = await plan(all);
      expect(code, output).toBe(0);
      const seen = front.taken();
      // The refused request is repeated.
      expect(seen.map(({ status }) => status).sort()).toEqual([...resources.map(() => 200), 429]);
      expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'replace a resource if an input changes that cannot be changed',
    async () => {
      const others = Object.fromEntries(
        resources.map((resource) => {
          const body = bodies[resource.name] ?? {};
          return [resource.name, { ...body, ...replacing(resource, body) }];
        }),
      );
      await all.write(resources, others);
      const { output } = await plan(all);
      const count = resources.length;
      expect(output).toContain(`Plan: ${count} to add, 0 to change, ${count} to destroy.`);
      await all.write(resources, bodies);
    },
    TIMEOUT_MS,
  );

  it(
    'take what exists into an empty state, see only what others change then, and destroy all of it',
    async () => {
      const state = await all.state();
      const taken = await Configuration.make(join(folder, 'imported'), iacFiles(document, 'law'));
      await taken.write(resources, bodies, state);
      expect((await run(tofu, taken, 'init')).code).toBe(0);
      front.taken();
      const imported = await apply(taken);
      expect(imported.output).toContain(`Resources: ${resources.length} imported, 0 added`);
      expect(front.taken().filter(({ method }) => method === 'POST' || method === 'DELETE')).toEqual([]);

      const at = (name: string): string => state[name]?.id ?? '';
      const by = { key: owner.key };
      const payload = { description: 'by hand', protection: { delete: false } };
      expect((await app.call({ ...by, method: 'PATCH', url: at('network'), payload })).statusCode).toBe(202);
      expect((await app.call({ ...by, method: 'DELETE', url: at('ssh_key') })).statusCode).toBe(204);
      const patched = await tofu.patched();
      const { output } = await plan(taken, patched);
      expect(output).toContain('module.network.restful_resource.this will be updated in-place');
      expect(output).toContain('module.ssh_key.restful_resource.this will be created');
      // Nothing else: the import had left nothing to do.
      expect(output).toContain('Plan: 1 to add, 1 to change, 0 to destroy.');

      const gone = await run(patched, taken, 'destroy', '-auto-approve', '-input=false');
      expect(gone.code, gone.output).toBe(0);
      expect(await inventory()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('never write or print the key', async () => {
    expect(printed.filter((text) => text.includes(owner.key))).toEqual([]);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = files.filter((file) => file.isFile() && /\.(tf|json|hcl|tfstate|backup)$/.test(file.name));
    for (const file of texts)
      expect(await readFile(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain(owner.key);
  });
});
