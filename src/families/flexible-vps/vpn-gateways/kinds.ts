/** Operations that create and delete VPN gateways. They never touch the peers, which calls change at once. */
import { engineAt, step } from '../../../engines/engine-step.ts';
import { provisioned, staysInError } from '../../../engines/provisioned.ts';
import { done, failed, kind, NoInput } from '../../../kernel/operations/kind.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { releaseAddress } from '../../../resources/addresses/store.ts';
import { applyGateway, refOf, specOf } from './engine-gateway.ts';
import { vpnGateways } from './resource.ts';
import { networksOf, readGateway, settleNetworks } from './store.ts';

const common = { typicalSeconds: 10, deadlineSeconds: 600 };

export const DIFFERS = failed(
  'engine_failed',
  'The engine has other settings for the gateway than requested.',
  true,
);

const { on, creation, update, deletion } = provisioned(vpnGateways, {
  table: 'vpn_gateways',
  read: readGateway,
  undo: 'take-down',
  async remove({ services, signal }, row) {
    const engine = engineAt(services.compute, row.location);
    await engine.removeGateway(refOf(row), signal);
    return (await engine.observeGateway(refOf(row), signal)) === null
      ? null
      : failed('engine_failed', 'The engine reported the gateway as removed, but still has it.', true);
  },
  /** Its peers are deleted with its row, and its addresses are released. */
  async erase(tx, row, at) {
    const networks = await networksOf(tx, row.id);
    for (const addressId of [row.ipv4_address_id, row.ipv6_address_id])
      if (addressId !== null) await releaseAddress(tx, addressId, at);
    await vpnGateways.erase(tx, row.id, { at });
    for (const { network_id } of networks) await wakeOperations(tx, network_id);
  },
});

export { on as onGateway };

/** What the kind that changes gateways has in common with these. */
export const gatewayUpdate = { ...update, ...common, settle: staysInError(vpnGateways) };

export const createGatewayKind = kind<typeof NoInput>({
  ...creation,
  ...common,
  input: NoInput,
  steps: [
    step(
      'make',
      on(async ({ db, services, signal, now }, row) => {
        const engine = engineAt(services.compute, row.location);
        if (!(await applyGateway(engine, row, await specOf(db, services, row), signal))) return DIFFERS;
        return done({}, async (tx) => {
          await settleNetworks(tx, row.id);
          const active = { status: 'active', status_reason: null, provisioned_at: now } as const;
          await vpnGateways.change(tx, row.id, active, { services, at: now });
          return [vpnGateways.event('created', row)];
        });
      }),
    ),
  ],
  settle: staysInError(vpnGateways),
});

export const deleteGatewayKind = kind<typeof NoInput>({
  ...deletion,
  ...common,
  input: NoInput,
  settle: staysInError(vpnGateways),
});
