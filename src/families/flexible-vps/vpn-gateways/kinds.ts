/** Operations that create and delete VPN gateways. They never touch the peers, which calls change at once. */
import { engineAt, step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, NoInput, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { releaseAddress } from '../../../resources/addresses/store.ts';
import type { Tx } from '../../../store/database.ts';
import { applyGateway, refOf, specOf } from './engine-gateway.ts';
import { vpnGateways } from './resource.ts';
import { networksOf, readGateway, settleNetworks } from './store.ts';
import type { VpnGatewayRow } from './table.ts';

/** What the kinds of gateways have in common. */
export const common = {
  family: 'flexible-vps',
  resourceType: 'vpn_gateway',
  queue: 'exclusive',
  typicalSeconds: 10,
  deadlineSeconds: 600,
} as const;

export const DIFFERS = failed(
  'engine_failed',
  'The engine has other settings for the gateway than requested.',
  true,
);

export async function onGateway<I>(
  { db, resourceId }: Work<I>,
  run: (row: VpnGatewayRow) => Promise<Outcome>,
): Promise<Outcome> {
  const row = await readGateway(db, resourceId);
  return row === undefined ? failed('not_found', 'The VPN gateway is gone.') : run(row);
}

async function takeDown<I>({ services, signal }: Work<I>, row: VpnGatewayRow): Promise<Outcome | null> {
  const engine = engineAt(services.compute, row.location);
  await engine.removeGateway(refOf(row), signal);
  return (await engine.observeGateway(refOf(row), signal)) === null
    ? null
    : failed('engine_failed', 'The engine reported the gateway as removed, but still has it.', true);
}

/** Deletes the rows of the gateway and its peers, and releases its addresses. */
async function forgetGateway(tx: Tx, id: string, at: Date): Promise<NewEvent[]> {
  const row = await readGateway(tx, id);
  if (row === undefined) return [];
  const networks = await networksOf(tx, id);
  for (const addressId of [row.ipv4_address_id, row.ipv6_address_id])
    if (addressId !== null) await releaseAddress(tx, addressId, at);
  await vpnGateways.erase(tx, id, { at });
  for (const { network_id } of networks) await wakeOperations(tx, network_id);
  return [vpnGateways.event('deleted', row)];
}

export const createGatewayKind = kind<typeof NoInput>({
  ...common,
  type: 'vpn_gateway.create',
  input: NoInput,
  cancellable: true,
  steps: [
    step('make', (work) =>
      onGateway(work, async (row) => {
        const { db, services, signal, now } = work;
        const engine = engineAt(services.compute, row.location);
        if (!(await applyGateway(engine, row, await specOf(db, services, row), signal))) return DIFFERS;
        return done({ changed: true }, async (tx) => {
          await settleNetworks(tx, row.id);
          const active = { status: 'active', status_reason: null, provisioned_at: now } as const;
          await vpnGateways.change(tx, row.id, active, { services, at: now });
          return [vpnGateways.event('created', row)];
        });
      }),
    ),
  ],
  undo: [step('take-down', (work) => onGateway(work, async (row) => (await takeDown(work, row)) ?? done()))],
  erase: (tx, id) => forgetGateway(tx, id, new Date()),
  provisions: 'vpn_gateways',
  async settle(tx, { status, resourceId, error }) {
    if (status === 'failed')
      await vpnGateways.change(tx, resourceId, { status: 'error', status_reason: error?.code ?? null });
    return undefined;
  },
});

export const deleteGatewayKind = kind<typeof NoInput>({
  ...common,
  type: 'vpn_gateway.delete',
  input: NoInput,
  cancellable: false,
  steps: [
    step('remove', (work) =>
      onGateway(work, async (row) => {
        const fault = await takeDown(work, row);
        return fault ?? done({ changed: true }, (tx) => forgetGateway(tx, row.id, work.now));
      }),
    ),
  ],
  async settle(tx, { status, resourceId, error }) {
    if (status !== 'succeeded')
      await vpnGateways.change(tx, resourceId, { status: 'error', status_reason: error?.code ?? null });
    return undefined;
  },
});
