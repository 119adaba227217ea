/**
 * The `doctor` checks for one engine: every fault that would keep a first machine from running, each with its fix.
 */
import type { Examination } from '../../../kernel/registry.ts';
import { EngineUnreachable } from '../../errors.ts';
import { Client } from './client.ts';
import { examineDoors, findAccessFault, mendReaching, reasonOf } from './doctor/access.ts';
import { examineFiltering } from './doctor/address-filter.ts';
import { examineRoom } from './doctor/capacity.ts';
import { type Place, type Sold, wrong } from './doctor/context.ts';
import {
  examineArchitectures,
  examineKind,
  examineMembers,
  examineVersion,
  readMembers,
} from './doctor/engine.ts';
import { examineImages } from './doctor/images.ts';
import { examineIsos } from './doctor/isos.ts';
import { examineNetwork } from './doctor/network.ts';
import { examinePrivateNetworks } from './doctor/ovn.ts';
import { examineStorage } from './doctor/storage.ts';
import type { Server } from './driver-context.ts';
import type { IncusSettings } from './settings.ts';

export type { Sold } from './doctor/context.ts';

async function examineInside(client: Client, settings: IncusSettings, sold: Sold): Promise<Examination[]> {
  const server = await client.ask<Server>('GET', '/1.0');
  const fault = await findAccessFault(client, settings, sold, server);
  if (fault !== null) return [fault];
  const members = await readMembers(client, server);
  const online = members.filter(({ status }) => status === 'Online').map(({ server_name }) => server_name);
  const place: Place = {
    client,
    settings,
    sold,
    server,
    members: server.environment.server_clustered ? online : [null],
  };
  const storage = await examineStorage(place);
  const network = await examineNetwork(place);
  const isFurnished = storage.fix === undefined && network.fix === undefined;
  const found = [
    examineVersion(place),
    ...(await examineDoors(settings, sold)),
    ...examineMembers(place, members),
    examineKind(place),
    examineArchitectures(place, members),
    storage,
    storage.fix === undefined ? await examineRoom(place) : null,
    network,
    isFurnished ? await examineFiltering(place) : null,
    await examinePrivateNetworks(place),
    await examineImages(place),
    await examineIsos(place),
  ];
  return found.filter((each) => each !== null);
}

export async function examineIncus(settings: IncusSettings, sold: Sold): Promise<Examination[]> {
  const client = new Client(settings.address);
  const { url } = settings.address;
  try {
    return await examineInside(client, settings, sold);
  } catch (error) {
    const fix =
      error instanceof EngineUnreachable
        ? mendReaching(url, error)
        : 'See the log of the engine, and run doctor again.';
    return [wrong(sold, 'engine', `${url}: ${reasonOf(error)}`, fix)];
  } finally {
    client.close();
  }
}
