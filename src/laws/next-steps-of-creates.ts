/** Trials of the problems that a create with `on_failure=delete` answers with after it was accepted. */
import { addFault, clearFaults } from '../engines/compute/sandbox/store.ts';
import { settle } from '../testing/operations.ts';
import type { Customer, Trial, Trials } from './next-step-trial.ts';
import { freshName } from './world.ts';

const VPS = '/flexible-vps/v1';
const vmBody = () => ({
  name: freshName(),
  location: 'fra1',
  plan: 'flex-2-4',
  source: { type: 'image', image_id: 'ubuntu-24.04' },
});

/** Makes the call, lets its operation end, and repeats the call, which then need not wait. */
async function ended(
  c: Customer,
  [collection, body]: readonly [string, object],
  meanwhile: (operationId: string) => Promise<unknown>,
  better: () => Promise<object>,
): Promise<Trial> {
  const url = `${VPS}/${collection}?on_failure=delete`;
  const headers = { 'idempotency-key': freshName() };
  const { operation } = (await c.call('POST', url, { body, headers })).json<{ operation: { id: string } }>();
  await meanwhile(operation.id);
  await settle(c.app);
  return {
    refused: await c.refused('POST', url, { body, headers: { ...headers, prefer: 'wait=1' } }),
    follow: async () => c.call('POST', url, { body: await better() }),
  };
}

export const createTrials: Trials = {
  create_failed: (c) => {
    const effect = {
      kind: 'fail',
      code: 'engine_failed',
      detail: 'The host of the machine has no capacity left.',
    } as const;
    const fail = () => addFault(c.db, { call: 'ensureRunning', times: 1, effect });
    const body = vmBody();
    return ended(c, ['vms', body], fail, async () => {
      await clearFaults(c.db);
      return body;
    });
  },
  create_cancelled: (c) => {
    const body = vmBody();
    const cancel = (id: string) => c.call('POST', `/account/v1/operations/${id}/cancel`);
    return ended(c, ['vms', body], cancel, async () => body);
  },
  source_unusable: (c) => {
    const os = { family: 'linux', distribution: 'debian', version: '13' };
    const source = { type: 'url', url: 'https://localhost/disk.qcow2', architecture: 'amd64', os };
    const body = { name: freshName(), source };
    return ended(
      c,
      ['images', body],
      async () => undefined,
      async () => {
        const { id: vm_id } = await c.vps.vm();
        return { ...body, source: { type: 'vm', vm_id } };
      },
    );
  },
};
