import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { isoUrlFor } from '../../../testing/iso-server.ts';
import { insertFor, provision } from '../../../testing/provision.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { createIsoKind } from './kinds.ts';
import { isos } from './resource.ts';

const common = { architecture: 'amd64', source_url: 'https://isos.example.com/installer.iso' } as const;

/** Imports an ISO: inserts the row like createIso does, then runs the step of the operation. */
export async function makeIso(world: World): Promise<string> {
  const { app } = world;
  const id = isos.newId();
  const sealed_url = app.services.secrets.close(Buffer.from(await isoUrlFor(app)), id);
  const own = { ...common, id, name: freshName(), status: 'downloading', sealed_url } as const;
  const row = await insertFor(world, isos, own);
  return provision(world, isos, row, createIsoKind, { sha256: null, max_bytes: BYTES_PER_GB });
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/isos',
  make: makeIso,
  async addRow(world, name) {
    const own = { name, status: 'available', description: name, labels: { mark: name } } as const;
    await insertFor(world, isos, { ...common, ...own });
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
