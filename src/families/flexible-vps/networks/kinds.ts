/**
 * Operations that create and change networks. Each network has its own queue; the queues of machines are not used.
 */
import { step } from '../../../engines/engine-step.ts';
import { done, failed, kind, NoInput, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { build, takeDown } from './engine-network.ts';
import { networks } from './resource.ts';
import { Settings } from './schema.ts';
import { readNetwork, settingsColumns } from './store.ts';
import type { NetworkRow } from './table.ts';

const common = {
  family: 'flexible-vps',
  resourceType: 'network',
  queue: 'exclusive',
  typicalSeconds: 5,
  deadlineSeconds: 600,
} as const;

/** Runs a step with the row of the operation's network; fails if the network was deleted. */
export async function onNetwork<I>(
  { db, accountId, resourceId }: Work<I>,
  run: (row: NetworkRow) => Promise<Outcome>,
): Promise<Outcome> {
  const row = await readNetwork(db, accountId, resourceId);
  return row === undefined ? failed('not_found', 'The network is gone.') : run(row);
}

export const createNetworkKind = kind<typeof NoInput>({
  ...common,
  type: 'network.create',
  input: NoInput,
  cancellable: true,
  steps: [
    step('build', (work) =>
      onNetwork(work, async (row) => {
        const fault = await build(work, row, row);
        if (fault !== null) return fault;
        return done({}, async (tx) => {
          await networks.change(tx, row.id, { status: 'active', status_reason: null });
          return [networks.event('created', row)];
        });
      }),
    ),
  ],
  undo: [step('take-down', (work) => onNetwork(work, async (row) => (await takeDown(work, row)) ?? done()))],
  async erase(tx, id) {
    const row = await networks.erase(tx, id);
    return row === undefined ? [] : [networks.event('deleted', row)];
  },
  provisions: 'vps_networks',
  async settle(tx, { status, resourceId: id, error }) {
    if (status === 'failed')
      await networks.change(tx, id, { status: 'error', status_reason: error?.code ?? null });
    return undefined;
  },
});

export const updateNetworkKind = kind<typeof Settings>({
  ...common,
  type: 'network.update',
  input: Settings,
  cancellable: false,
  steps: [
    step('apply', (work) =>
      onNetwork(work, async (row) => {
        const fault = await build(work, row, work.input);
        if (fault !== null) return fault;
        return done({}, async (tx) => {
          await networks.change(tx, row.id, { status: 'active', ...settingsColumns(work.input) });
          return [networks.event('updated', row)];
        });
      }),
    ),
  ],
  async settle(tx, { status, resourceId }) {
    // The new settings were never written, so the row still has the old ones.
    if (status !== 'succeeded') await networks.change(tx, resourceId, { status: 'active' });
    return undefined;
  },
});
