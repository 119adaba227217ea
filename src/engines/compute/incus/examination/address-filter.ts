/**
 * Whether the host can keep machines from using addresses that are not theirs: where it cannot, the engine starts none.
 * It looks only when it starts one, so an empty container is told to start. It has an interface as machines do, which
 * comes first, and then a device that is nowhere, so that nothing ever runs.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Examination } from '../../../../kernel/registry.ts';
import { fine, type Place, wrong } from '../doctor/place.ts';
import { discard, withEmptyImage } from '../doctor/trial.ts';
import { IncusError } from '../failure.ts';
import { mute } from '../routes.ts';

const NAME = 'filtering';
const FIX =
  'On the host: modprobe br_netfilter && echo br_netfilter > /etc/modules-load.d/hostplane.conf; sysctl -w net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1';

/** What the engine says of an interface that it cannot start. */
async function findFault(place: Place, folder: string, member: string | null): Promise<string | null> {
  const { client, settings } = place;
  const target = member === null ? {} : { target: member };
  const none = '/dev/hostplane-none';
  const devices = {
    root: { type: 'disk', path: '/', pool: settings.storagePool },
    eth0: mute({ network: settings.publicNetwork, name: 'eth0' }),
    none: { type: 'unix-char', source: none, path: none },
  };
  return withEmptyImage(place, folder, async (fingerprint, name) => {
    const path = `/1.0/instances/${name}`;
    const body = { name, source: { type: 'image', fingerprint }, profiles: [], devices };
    try {
      await client.run('POST', '/1.0/instances', { ...target, body });
      await client.run('PUT', `${path}/state`, { body: { action: 'start' } });
      return null;
    } catch (error) {
      if (!(error instanceof IncusError)) throw error;
      return /start device "?eth0/i.test(error.message) ? error.message : null;
    } finally {
      await discard(place, path);
    }
  });
}

export async function examineFiltering(place: Place): Promise<Examination | null> {
  const { sold, members, settings } = place;
  if (settings.instanceType === 'virtual-machine') return null;
  const folder = await mkdtemp(join(tmpdir(), 'hostplane-doctor-'));
  try {
    for (const member of members) {
      const fault = await findFault(place, folder, member);
      if (fault === null) continue;
      const detail = `No machine can be started${member === null ? '' : ` on ${member}`}: ${fault}.`;
      return wrong(sold, NAME, detail, FIX);
    }
    return fine(sold, NAME, 'machines can use no addresses but their own');
  } finally {
    await rm(folder, { recursive: true });
  }
}
