/** Looks at the network from inside a running machine. */
import { expect } from 'vitest';
import { pathOf } from '../../engines/compute/incus/driver-context.ts';
import { projectOf } from '../../engines/compute/incus/names.ts';
import type { Ref } from '../../engines/compute/port.ts';
import type { IncusHarness } from './harness.ts';

interface Probe {
  /** Whether the command ends with the status 0. */
  succeeds(ref: Ref, command: string): Promise<boolean>;
  /** Whether the address answers a ping, which is sent from the address or interface `from`. */
  reaches(ref: Ref, address: string, from?: string): Promise<boolean>;
  hasAddress(ref: Ref, address: string): Promise<boolean>;
  /** Configures further addresses in the guest, also with the range on their link, and waits until it can use them. */
  gives(ref: Ref, device: string, addresses: readonly string[]): Promise<void>;
}

const SOON = { timeout: 120_000 };

export function probeOf(harness: () => Pick<IncusHarness, 'daemon'>): Probe {
  async function succeeds(ref: Ref, command: string): Promise<boolean> {
    const done = await harness().daemon.client.run('POST', `${pathOf(ref)}/exec`, {
      project: projectOf(ref),
      body: { command: ['sh', '-c', command], 'wait-for-websocket': false, interactive: false },
    });
    return done?.metadata?.return === 0;
  }
  return {
    succeeds,
    reaches: (ref, address, from) =>
      succeeds(ref, `ping -c1 -W1 ${from === undefined ? '' : `-I ${from}`} ${address}`),
    hasAddress: (ref, address) => succeeds(ref, `ip addr | grep -q 'inet6* ${address}/'`),
    async gives(ref, device, addresses) {
      for (const address of addresses) {
        const alone = address.includes(':') ? `${address}/128` : `${address}/32`;
        const added = address.includes('/') ? address : alone;
        expect(await succeeds(ref, `ip addr add ${added} dev ${device}`), address).toBe(true);
      }
      const isWaiting = () => succeeds(ref, `ip addr show dev ${device} | grep -q tentative`);
      await expect.poll(isWaiting, SOON).toBe(false);
    },
  };
}
