/** Lists the custom storage volumes of all accounts: volumes, their snapshots and ISOs. */
import type { Site } from './driver-context.ts';
import { isOurs } from './projects.ts';
import { type RawVolume, volumesPath } from './raw-volume.ts';

async function listProjects(site: Site, signal?: AbortSignal): Promise<readonly string[]> {
  const projects = await site.client.ask<readonly string[]>('GET', '/1.0/projects', { signal });
  return projects.map((path) => path.slice(path.lastIndexOf('/') + 1)).filter(isOurs);
}

/** The names of snapshots have the form `volume/snapshot`. */
export async function listVolumes(site: Site, signal?: AbortSignal): Promise<readonly RawVolume[]> {
  const { api_extensions } = await site.readServer(signal);
  const path = volumesPath(site);
  const list = (ask: object) => site.client.ask<readonly RawVolume[]>('GET', path, { ...ask, signal });
  if (api_extensions.includes('storage_volumes_all_projects')) {
    const all = await list({ query: { recursion: 1, 'all-projects': 'true' } });
    return all.filter(({ project = '' }) => isOurs(project));
  }
  const found: RawVolume[] = [];
  for (const project of await listProjects(site, signal)) {
    const own = await list({ project, query: { recursion: 1 } });
    found.push(...own.map((raw) => ({ ...raw, project })));
  }
  return found;
}
