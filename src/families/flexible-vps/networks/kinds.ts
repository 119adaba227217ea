/**
 * Operations that create and change networks. Each network has its own queue; the queues of machines are not used.
 */
import { step } from '../../../engines/engine-step.ts';
import { provisioned, staysInError } from '../../../engines/provisioned.ts';
import { done, kind, NoInput } from '../../../kernel/operations/kind.ts';
import { build, takeDown } from './engine-network.ts';
import { networks } from './resource.ts';
import { Settings } from './schema.ts';
import { readNetworkRow, settingsColumns } from './store.ts';

const common = { typicalSeconds: 5, deadlineSeconds: 600 };

const { on, creation, update } = provisioned(networks, {
  table: 'vps_networks',
  read: readNetworkRow,
  remove: takeDown,
  undo: 'take-down',
});

export { on as onNetwork };

export const createNetworkKind = kind<typeof NoInput>({
  ...creation,
  ...common,
  input: NoInput,
  steps: [
    step(
      'build',
      on(async (work, row) => {
        const fault = await build(work, row, row);
        if (fault !== null) return fault;
        return done({}, async (tx) => {
          await networks.change(tx, row.id, { status: 'active', status_reason: null });
          return [networks.event('created', row)];
        });
      }),
    ),
  ],
  settle: staysInError(networks),
});

export const updateNetworkKind = kind<typeof Settings>({
  ...update,
  ...common,
  input: Settings,
  steps: [
    step(
      'apply',
      on(async (work, row) => {
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
