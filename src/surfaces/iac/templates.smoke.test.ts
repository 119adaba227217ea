/**
 * One resource through a Terraform module and through an Ansible role, with the real programs where they are there. The
 * laws do this with every resource, which takes minutes; this file is for `npm test`.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { buildRegistry } from '../../kernel/registry.ts';
import { Configuration } from '../../laws/terraform-configuration.ts';
import { createWorld, type World } from '../../laws/world.ts';
import { play, whyNoAnsible, writeCollection } from '../../testing/ansible.ts';
import { createTestApp } from '../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { inventoryOf } from '../../testing/inventory.ts';
import { noLimit } from '../../testing/no-limit.ts';
import { Tofu, whyNoTofu } from '../../testing/terraform/tofu.ts';
import { exampleDocument } from '../openapi/snapshot.ts';
import { iacOf } from './files.ts';

const TIMEOUT_MS = 600_000;
const { files } = iacOf(exampleDocument(buildRegistry(families)), 'smoke');
const placementGroup = { name: 'smoke', location: 'fra1' };

let world: World;
let url: string;
let folder: string;

beforeAll(async () => {
  world = await createWorld(await createTestApp({ works: true, limiter: noLimit }));
  url = await world.app.app.listen({ host: '127.0.0.1', port: 0 });
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await world?.app.close();
  await removeTemporaryFolder(folder);
});

const titled = (title: string, why: string | null): string => (why === null ? title : `${title}: ${why}`);
const inventory = (): Promise<string[]> => inventoryOf(world.app, world.key.key);

describe.skipIf(whyNoTofu !== null)(titled('a Terraform module', whyNoTofu), () => {
  it(
    'makes a placement group, plans no change afterwards, and destroys it',
    async () => {
      const tofu = await Tofu.open(folder, {
        TF_VAR_hostplane_api_key: world.key.key,
        TF_VAR_hostplane_url: url,
      });
      const place = await Configuration.make(join(folder, 'terraform'), files);
      const module = { source: './terraform/modules/placement_group', ...placementGroup };
      await place.writeModules({ placement_group: module });
      const run = async (...args: string[]): Promise<void> => {
        const { code, output } = await tofu.run(place.folder, ...args, '-no-color');
        expect(code, output).toBe(0);
      };
      await run('init');
      await run('apply', '-auto-approve', '-input=false');
      expect(await inventory()).toHaveLength(1);
      await run('plan', '-detailed-exitcode', '-input=false');
      await run('destroy', '-auto-approve', '-input=false');
      expect(await inventory()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

const whyNot = whyNoAnsible();
describe.skipIf(whyNot !== null)(titled('an Ansible role', whyNot), () => {
  it(
    'makes a placement group, changes nothing when it runs again, and removes it',
    async () => {
      const ansible = { folder: join(folder, 'ansible'), url, key: world.key.key };
      const written = files.filter(({ path }) => path.startsWith('ansible/'));
      await writeCollection(
        ansible.folder,
        Object.fromEntries(written.map(({ path, body }) => [path, body.toString()])),
      );
      const vars = Object.entries(placementGroup).map(([name, value]) => [`placement_group_${name}`, value]);
      const host = { role: 'placement_group', ...Object.fromEntries(vars) };
      const run = async (more: object = {}): Promise<number | undefined> => {
        const { code, output, recap } = await play(ansible, { smoke: { ...host, ...more } });
        expect(code, output).toBe(0);
        return recap['smoke']?.changed;
      };
      expect([await run(), await inventory()]).toEqual([1, [expect.any(String)]]);
      expect(await run()).toBe(0);
      expect([await run({ placement_group_state: 'absent' }), await inventory()]).toEqual([1, []]);
    },
    TIMEOUT_MS,
  );
});
