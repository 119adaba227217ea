import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { isoUrlFor } from '../../../testing/iso-server.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { createIsoKind } from './kinds.ts';
import { isos } from './resource.ts';
import type { IsoRow } from './table.ts';

const insertRow = ({ app, account }: World, own: Pick<IsoRow, 'name' | 'status'> & Partial<IsoRow>) =>
  app.services.db
    .insertInto('vps_isos')
    .values({
      id: isos.newId(),
      account_id: account.id,
      architecture: 'amd64',
      source_url: 'https://isos.example.com/installer.iso',
      ...own,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Imports an ISO: inserts the row like createIso does, then runs the step of the operation. */
export async function makeIso(world: World): Promise<string> {
  const { app, account, key } = world;
  const { db, secrets } = app.services;
  const id = isos.newId();
  const sealed_url = secrets.close(Buffer.from(await isoUrlFor(app)), id);
  const row = await insertRow(world, { id, name: freshName(), status: 'downloading', sealed_url });
  await isos.note(db, row, { apiKeyId: key.id });
  const input = { sha256: null, max_bytes: BYTES_PER_GB };
  await runKind(app, createIsoKind, { accountId: account.id, resource: isos.ref(row), input });
  return row.id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/isos',
  make: makeIso,
  async addRow(world, name) {
    await insertRow(world, { name, status: 'available', description: name, labels: { mark: name } });
  },
  bodies: {
    createIso: async ({ app }) => ({ url: await isoUrlFor(app) }),
    setVmIso: async (world) => ({ iso_id: await makeIso(world) }),
  },
  variations: {
    setVmIso: {
      'with a restart': async (world, params) => ({
        params,
        body: { iso_id: await makeIso(world), restart: true },
      }),
    },
    deleteIso: {
      'that takes space': async ({ app: { services } }, { id = '' }) => {
        await isos.change(services.db, id, { size_bytes: 2 * BYTES_PER_GB }, { services });
        return {};
      },
    },
    createVm: {
      'with an ISO': async (world) => ({ body: { source: { type: 'iso', iso_id: await makeIso(world) } } }),
    },
  },
  creations: {
    createVm: [async (world) => ({ source: { type: 'iso', iso_id: await makeIso(world) } })],
  },
};
