/**
 * Creates, changes and removes networks at the engine, and checks the result. The functions return null on success.
 */
import type { NetworkSpec } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import { canonicalJson } from '../../../kernel/audit/canonical-json.ts';
import { failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { gatewayOf } from './addresses.ts';
import type { Settings } from './schema.ts';
import type { NetworkRow } from './table.ts';

type Asking = Pick<Work<unknown>, 'services' | 'signal'>;

const refOf = ({ account_id, id }: NetworkRow) => ({ account: account_id, id });

const specOf = (row: NetworkRow, { nat, dns, routes }: Pick<NetworkRow, keyof Settings>): NetworkSpec => ({
  ipv4Cidr: row.ipv4_cidr,
  ipv4Gateway: gatewayOf(row.ipv4_cidr),
  ipv6Cidr: row.ipv6_cidr,
  nat,
  dns,
  mtu: row.mtu,
  routes: routes.map(({ destination, next_hop }) => ({ destination, nextHop: next_hop })),
});

export async function build(
  { services, signal }: Asking,
  row: NetworkRow,
  settings: Pick<NetworkRow, keyof Settings>,
): Promise<Outcome | null> {
  const engine = engineAt(services.compute, row.location);
  const spec = specOf(row, settings);
  await engine.ensureNetwork(refOf(row), spec, signal);
  const seen = await engine.observeNetwork(refOf(row), signal);
  if (seen === null)
    return failed('engine_failed', 'The engine reported the network as created, but does not have it.', true);
  const { usedBy: _, account: __, id: ___, ...actual } = seen;
  return canonicalJson(actual) === canonicalJson(spec)
    ? null
    : failed('engine_failed', 'The engine has other settings for the network than requested.', true);
}

export async function takeDown({ services, signal }: Asking, row: NetworkRow): Promise<Outcome | null> {
  const engine = engineAt(services.compute, row.location);
  await engine.removeNetwork(refOf(row), signal);
  const left = await engine.observeNetwork(refOf(row), signal);
  return left === null
    ? null
    : failed('engine_failed', 'The engine reported the network as removed, but still has it.', true);
}
