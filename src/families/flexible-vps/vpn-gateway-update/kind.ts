/** The operation that changes a VPN gateway. The configurations of its peers change with it. */
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, kind } from '../../../kernel/operations/kind.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { applyGateway, specOf } from '../vpn-gateways/engine-gateway.ts';
import { DIFFERS, gatewayUpdate, onGateway } from '../vpn-gateways/kinds.ts';
import { vpnGateways } from '../vpn-gateways/resource.ts';
import { networksOf, settleNetworks } from '../vpn-gateways/store.ts';
import { touchConfigs } from '../vpn-peers/store.ts';

const Change = Shape({ port: Type.Integer() });

export const updateGatewayKind = kind<typeof Change>({
  ...gatewayUpdate,
  input: Change,
  steps: [
    step(
      'apply',
      onGateway(async (work, before) => {
        const { db, services, signal, input, now } = work;
        const row = { ...before, port: input.port };
        const engine = engineAt(services.compute, row.location);
        if (!(await applyGateway(engine, row, await specOf(db, services, row), signal))) return DIFFERS;
        return done({}, async (tx) => {
          const left = (await networksOf(tx, row.id)).filter(({ state }) => state === 'leaving');
          await settleNetworks(tx, row.id);
          const { next_public_key, next_private_key, port } = row;
          const keys =
            next_public_key === null || next_private_key === null
              ? {}
              : { public_key: next_public_key, private_key: next_private_key };
          await vpnGateways.change(
            tx,
            row.id,
            { ...keys, port, next_public_key: null, next_private_key: null, status: 'active' },
            { keepsPrice: true },
          );
          await touchConfigs(tx, row.id, now);
          for (const { network_id } of left) await wakeOperations(tx, network_id);
          return [vpnGateways.event('updated', row)];
        });
      }),
    ),
  ],
});
