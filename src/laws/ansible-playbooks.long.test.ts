/** The whole playbooks of the Ansible collection: the second run changes nothing. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { detailsIn } from '../surfaces/iac/ansible/details.ts';
import { ansibleFiles } from '../surfaces/iac/ansible/files.ts';
import { iacModel } from '../surfaces/iac/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { type Ansible, collectionIn, playFiles, whyNoAnsible, writeCollection } from '../testing/ansible.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { freshPublicKey } from '../testing/ssh-keys.ts';
import { createWorld } from './world.ts';

const document = exampleDocument(buildRegistry(families));
const model = iacModel(document);
const files = ansibleFiles({ model, document, detailsOf: detailsIn(document), hash: 'hash' });
const playbooks = Object.keys(files).filter((path) => path.endsWith('/playbook.yml'));
const why = whyNoAnsible();

it('there are playbooks for a web machine, a fleet, and a budget with an alarm', () => {
  expect(playbooks.map((path) => path.split('/')[2]).sort()).toEqual([
    'budget-alarm',
    'fleet',
    'web-machine',
  ]);
});

describe.skipIf(why !== null)(
  `the playbooks of Ansible${why === null ? '' : `: ${why}`}`,
  { timeout: 600_000 },
  () => {
    let app: TestApp;
    let ansible: Ansible;
    let paths: string[];
    let settings: string[];

    beforeAll(async () => {
      app = await createTestApp({ works: true });
      const { key } = await createWorld(app);
      const folder = await makeTemporaryFolder();
      ansible = { folder, url: await app.app.listen({ host: '127.0.0.1', port: 0 }), key: key.key };
      await writeCollection(folder, files);
      paths = playbooks.map((path) => join(collectionIn(folder), path.slice(8)));
      const { location, plan, source } = model.resources.find(({ name }) => name === 'vm')?.example ?? {};
      const image = (source as { image_id?: string })?.image_id;
      const url = model.resources.find(({ name }) => name === 'webhook')?.example['url'];
      // An account has each SSH key only once.
      settings = paths.map(() =>
        JSON.stringify({ location, plan, image, url, machines: 2, public_key: freshPublicKey() }),
      );
    });
    afterAll(async () => {
      await app?.close();
      if (ansible !== undefined) await removeTemporaryFolder(ansible.folder);
    });

    /** Runs all playbooks at once, and returns how many tasks changed something. */
    async function playAll(...args: string[]): Promise<number[]> {
      const all = paths.map((path, i) => playFiles(ansible, [path], [...args, '-e', settings[i] ?? '']));
      return (await Promise.all(all)).map(({ code, output, recap }) => {
        expect(code, output).toBe(0);
        return recap['localhost']?.changed ?? 0;
      });
    }

    it('have no syntax errors, and neither has a playbook that uses every role', async () => {
      const roles = model.resources.map(({ name }) => `hostplane.cloud.${name}`);
      const every = join(ansible.folder, 'every-role.json');
      await writeFile(every, JSON.stringify([{ hosts: 'localhost', gather_facts: false, roles }]));
      const { code, output } = await playFiles(ansible, [...paths, every], ['--syntax-check']);
      expect(code, output).toBe(0);
    });

    it('create everything, and change nothing in the next run', async () => {
      const made: Record<string, number> = { 'budget-alarm': 2, fleet: 4, 'web-machine': 5 };
      expect(await playAll()).toEqual(playbooks.map((path) => made[path.split('/')[2] ?? '']));
      expect(await playAll()).toEqual([0, 0, 0]);
    });
  },
);
