/** Operations have time to copy a volume only where the engine may have to copy one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capabilities } from '../../../engines/compute/capabilities.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Volume } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let own: Capabilities;

const engine = () => app.services.compute.at('fra1') as { capabilities: Capabilities };

beforeAll(async () => {
  app = await createTestApp();
  mine = await VpsAccount.open(app);
  own = engine().capabilities;
});
afterAll(() => app.close());

const body = (name: string) => ({ name, location: 'fra1', size_gb: 10 });

/** The minutes that the newest operation of this type was given. */
async function minutesOf(type: string): Promise<number> {
  const { created_at, deadline_at } = await app.services.db
    .selectFrom('operations')
    .select(['created_at', 'deadline_at'])
    .where('account_id', '=', mine.account.id)
    .where('type', '=', type)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return Math.round((deadline_at.getTime() - created_at.getTime()) / 60_000);
}

/** The minutes that each operation gets which attaches a volume or copies one. */
async function minutes(name: string): Promise<Record<string, number>> {
  const vm = await mine.vm();
  const volume = await mine.do<Volume>('POST', 'volumes', { ...body(`${name}-new`), vm_id: vm.id });
  const created = await minutesOf('volume.create');
  await mine.do('POST', `vms/${vm.id}/redeploy`, { confirm: vm.name });
  const snapshot = await mine.do<{ id: string }>('POST', `volumes/${volume.id}/snapshots`, {});
  const copy = { ...body(`${name}-copy`), source_snapshot_id: snapshot.id };
  const { id } = await mine.do<Volume>('POST', 'volumes', copy);
  const copied = await minutesOf('volume.create');
  await mine.do('POST', `volumes/${id}/actions`, { type: 'attach', vm_id: vm.id });
  const other = await mine.do<Volume>('POST', 'volumes', body(`${name}-third`));
  await mine.vm({ volume_ids: [other.id] });
  return {
    'volume.create': created,
    'volume.create from a snapshot': copied,
    'volume.attach': await minutesOf('volume.attach'),
    'vm.redeploy': await minutesOf('vm.redeploy'),
    'vm.create': await minutesOf('vm.create'),
  };
}

describe('operations that attach volumes', () => {
  it('have no time to copy them where all servers reach all volumes', async () => {
    expect(await minutes('one')).toEqual({
      'volume.create': 10,
      'volume.create from a snapshot': 130,
      'volume.attach': 10,
      'vm.redeploy': 30,
      'vm.create': 30,
    });
  });

  it('have two hours more where a volume may be copied to the server of its machine', async () => {
    engine().capabilities = { ...own, volumesEverywhere: 'Several servers.' };
    expect(await minutes('two')).toEqual({
      'volume.create': 130,
      'volume.create from a snapshot': 130,
      'volume.attach': 130,
      'vm.redeploy': 150,
      'vm.create': 150,
    });
  });
});
