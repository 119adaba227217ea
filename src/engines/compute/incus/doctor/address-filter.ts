/**
 * Checks whether the host can filter addresses, so that machines use only their own. Where it cannot, the engine
 * starts no machine. The engine tests this only during a start, so the check starts an empty container. Its interface
 * is set up first, then a device that does not exist makes the start fail, so that nothing ever runs.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Examination } from '../../../../kernel/registry.ts';
import { IncusError } from '../failure.ts';
import { mute } from '../routes.ts';
import { fine, type Place, wrong } from './context.ts';
import { discard, withEmptyImage } from './trial-instance.ts';

const NAME = 'filtering';
const FIX =
  'On the host: modprobe br_netfilter && echo br_netfilter > /etc/modules-load.d/hostplane.conf; sysctl -w net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1';

/** Returns the engine's error if the interface could not be started, otherwise null. */
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
