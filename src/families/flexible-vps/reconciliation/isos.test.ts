import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ref } from '../../../engines/compute/port.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { isoUrlFor, tinyIso } from '../../../testing/iso-server.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Iso } from '../isos/schema.ts';
import { isoDrift } from './isos.ts';

let app: TestApp;
let mine: VpsAccount;
let folder: string;
let file: string;
beforeAll(async () => {
  app = await createTestApp();
  folder = await makeTemporaryFolder();
  file = join(folder, 'iso');
  await writeFile(file, tinyIso());
});
afterAll(async () => {
  await removeTemporaryFolder(folder);
  await app.close();
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
});

const engine = (location: string) => app.services.compute.at(location)!;
const look = () => isoDrift.run(app.services);
const read = async ({ id }: Ref): Promise<Iso> => (await mine.send('GET', `isos/${id}`)).json<Iso>();
async function imported(): Promise<Ref> {
  const { id } = await mine.do<Iso>('POST', 'isos', { name: 'installer', url: await isoUrlFor(app) });
  return { account: mine.account.id, id };
}

describe('an ISO that an engine lost', () => {
  it('is no longer listed in that location, until the engine has it again', async () => {
    const iso = await imported();
    await engine('hel1').removeIso(iso);
    await look();
    expect((await read(iso)).locations).toEqual(expect.not.arrayContaining(['hel1']));
    expect((await read(iso)).locations).toContain('fra1');
    await engine('hel1').ensureIso(iso, file);
    await look();
    expect((await read(iso)).locations).toContain('hel1');
  });

  it('has the status failed and is not billed if no location has it', async () => {
    const iso = await imported();
    // Each look writes down one loss: the engines are looked at together, and only the first finds the row unchanged.
    for (const { location } of app.services.compute.all) {
      await engine(location).removeIso(iso);
      await look();
    }
    expect(await read(iso)).toMatchObject({
      status: 'failed',
      locations: [],
      failure: { code: 'engine_failed' },
    });
  });
});

describe('an ISO that nobody owns', () => {
  it('is reported and never removed', async () => {
    const stray = { account: mine.account.id, id: 'iso_stray' };
    await engine('fra1').ensureIso(stray, file);
    await look();
    const strays = () => app.services.db.selectFrom('iso_strays').select('id').execute();
    expect(await strays()).toEqual([{ id: 'iso_stray' }]);
    expect(await engine('fra1').observeIso(stray)).not.toBeNull();
    await engine('fra1').removeIso(stray);
    await look();
    expect(await strays()).toEqual([]);
  });
});
